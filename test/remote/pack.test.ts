import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pack, unpack } from '../../src/remote/pack.ts'

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('any'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__'), fc.constant('constructor')), tie('any'), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
})).any

describe('a message as bytes', () => {
  it('comes back as it was, byte arrays and hostile names included', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(unpack(pack(given))).toEqual(given)
      }),
      { numRuns: 500 },
    )
  })

  it('has byte arrays with buffers of their own', () => {
    const [a, b] = unpack(pack([new Uint8Array([1, 2]), new Uint8Array([3])])) as Uint8Array[]
    expect(a?.buffer.byteLength).toBe(2)
    expect(b?.buffer.byteLength).toBe(1)
  })

  it('that was changed gives INVALID or a value, and nothing else', { timeout: 60_000 }, () => {
    const change = fc.record({ at: fc.nat(), to: fc.nat(255), cut: fc.boolean() })
    fc.assert(
      fc.property(value, fc.array(change, { minLength: 1, maxLength: 4 }), (given, changes) => {
        let bytes: Uint8Array = pack(given)
        for (const { at, to, cut } of changes) {
          if (bytes.length === 0) break
          bytes[at % bytes.length] = to
          if (cut) bytes = bytes.slice(0, at % bytes.length)
        }
        try {
          unpack(bytes)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID' })
        }
        expect(Object.prototype).not.toHaveProperty('polluted')
      }),
      { numRuns: 3_000 },
    )
  })

  it('cannot place bytes on a prototype, nor over a value', () => {
    const forged = (header: unknown): Uint8Array => {
      const text = new TextEncoder().encode(JSON.stringify(header))
      const bytes = new Uint8Array(4 + text.length + 1)
      new DataView(bytes.buffer).setUint32(0, text.length)
      bytes.set(text, 4)
      return bytes
    }
    for (const path of [['__proto__', 'polluted'], ['constructor', 'prototype', 'x'], ['a'], ['b', 0], []])
      expect(() => unpack(forged({ value: { a: 1, b: [] }, slots: [[path, 1]] }))).toThrow(
        expect.objectContaining({ code: 'INVALID' }),
      )
    expect(unpack(forged({ value: { a: null }, slots: [[['a'], 1]] }))).toEqual({ a: new Uint8Array(1) })
  })
})
