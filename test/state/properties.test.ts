import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCodec } from '../../src/state/codec.ts'
import { fold, parseDelta } from '../../src/state/delta.ts'
import { diff } from '../../src/state/diff.ts'
import type { Json } from '../../src/state/json.ts'
import { checkDelta, Soundness } from '../../src/state/sound.ts'
import { json, types, value } from './arbitrary.ts'
import { difference } from './difference.ts'

const runs = { numRuns: 2000 }
const viaText = (state: unknown): Json => JSON.parse(JSON.stringify(state)) as Json
const exactly = (a: unknown, b: unknown) => expect(difference(a, b)).toBeUndefined()

function frozen<T>(of: T): T {
  if (typeof of !== 'object' || of === null || ArrayBuffer.isView(of)) return of
  for (const child of Object.values(of)) frozen(child)
  return Object.freeze(of)
}

test('what was captured comes back exactly, also through JSON text', () => {
  const codec = createCodec(types)
  fc.assert(
    fc.property(value, (a) => {
      const { state } = codec.capture(a)
      exactly(codec.decode(state), a)
      exactly(viaText(state), state)
      exactly(codec.decode(viaText(state)), a)
      const again = codec.capture(codec.decode(state), viaText(state))
      expect(again.delta).toEqual([])
    }),
    runs,
  )
})

test('the delta of a capture leads from the state before to the state after', () => {
  fc.assert(
    fc.property(value, value, fc.boolean(), (a, b, freeze) => {
      const codec = createCodec(types)
      if (freeze) frozen([a, b])
      const before = codec.capture(a).state
      const text = JSON.stringify(before)
      const { state, delta } = codec.capture(b, before)
      exactly(state, codec.capture(b).state)
      const folded = fold(before, parseDelta(viaText(delta)))
      exactly(folded, state)
      exactly(codec.decode(folded), b)
      expect(JSON.stringify(before)).toBe(text)
      expect(state === before).toBe(delta!.length === 0)
      expect(codec.capture(b, state).state).toBe(state)
      expect(codec.capture(b, folded)).toEqual({ state: folded, delta: [] })
    }),
    runs,
  )
})

test('what a capture makes is found sound, be it a state or a change', async () => {
  const pause = (): undefined => undefined
  await fc.assert(
    fc.asyncProperty(value, value, async (a, b) => {
      const codec = createCodec(types)
      const before = codec.capture(a).state
      const { state, delta } = codec.capture(b, before)
      await new Soundness().check(state, pause)
      await checkDelta(parseDelta(viaText(delta as Json)), pause)
    }),
    runs,
  )
})

test('the same between two encoded states', () => {
  fc.assert(
    fc.property(json, json, json, (a, b, c) => {
      const [from, over, to] = [a, b, c] as [Json, Json, Json]
      const first = diff(from, over)
      const second = diff(over, to)
      exactly(fold(from, first), over)
      exactly(fold(from, [...first, ...second]), to)
      expect(diff(to, structuredClone(to))).toEqual([])
    }),
    runs,
  )
})

test('arrays of all shifts, edits and lengths', () => {
  const item = fc.oneof(fc.nat(3), fc.record({ id: fc.nat(6), text: fc.constantFrom('a', 'b') }))
  const codec = createCodec()
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 30 }),
      fc.array(item, { maxLength: 6 }),
      fc.nat(30),
      fc.nat(9),
      (list, put, at, n) => {
        const before = codec.capture(list.map((x) => frozen(x))).state
        const after = list.toSpliced(at, n, ...put)
        const { state, delta } = codec.capture(after, before)
        exactly(fold(before, delta!), state)
        exactly(codec.decode(state), after)
      },
    ),
    runs,
  )
})

test('a later change of the value is not seen in what was captured', () => {
  const codec = createCodec(types)
  fc.assert(
    fc.property(value, value, (a, b) => {
      const { state } = codec.capture([a, { b }], codec.capture([b]).state)
      const text = JSON.stringify(state)
      wreck([a, b])
      expect(JSON.stringify(state)).toBe(text)
    }),
  )
})

function wreck(of: unknown): void {
  if (typeof of !== 'object' || of === null) return
  if (of instanceof Map || of instanceof Set) {
    of.forEach((child, key) => [child, key].forEach(wreck))
    of.clear()
  } else if (ArrayBuffer.isView(of)) new Uint8Array(of.buffer).fill(7)
  else {
    for (const key of Object.keys(of)) {
      wreck((of as Record<string, unknown>)[key])
      Reflect.deleteProperty(of, key)
    }
  }
}
