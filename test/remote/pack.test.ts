import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pack, unpack, unpackCall } from '../../src/remote/pack.ts'

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

describe('a call, before anybody is asked about it', () => {
  const headed = (text: string): Uint8Array => {
    const header = new TextEncoder().encode(text)
    const bytes = new Uint8Array(4 + header.length)
    new DataView(bytes.buffer).setUint32(0, header.length)
    bytes.set(header, 4)
    return bytes
  }

  it.each([
    ['too large', JSON.stringify({ value: 'a'.repeat(2 ** 24), slots: [] }), 'TOO_LARGE'],
    ['nested too deep', '['.repeat(2 ** 20), 'INVALID'],
    ['nested too deep, in objects', '{"a":'.repeat(2 ** 20), 'INVALID'],
  ])('is refused unread when it is %s', (_, text, code) => {
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    expect(() => unpackCall(headed(text))).toThrow(expect.objectContaining({ code }))
    expect(parse).not.toHaveBeenCalled()
  })

  it('may have all that a call can have', () => {
    let deep: unknown = '"[{\\'
    for (let n = 0; n < 1_000; n++) deep = [deep]
    const ids = Array.from({ length: 100_000 }, () => crypto.randomUUID())
    const state = new Uint8Array(2 ** 25).fill(7)
    const call = {
      ids,
      state,
      extra: [
        ['deep', deep],
        ['brackets', '[{'.repeat(2 ** 20)],
      ],
    }
    const { state: bytes, ...rest } = unpackCall(pack(call)) as typeof call
    // Its 32 MB are looked at all at once: one by one they take seven seconds.
    expect(Buffer.compare(bytes, state)).toBe(0)
    const { state: _, ...asked } = call
    expect(rest).toEqual(asked)
  })

  it('that is cut off is refused', () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(3), headed('{}').subarray(0, 5)])
      expect(() => unpackCall(bytes)).toThrow(expect.objectContaining({ code: 'INVALID' }))
  })
})
