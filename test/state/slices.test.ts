import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCodec } from '../../src/state/codec.ts'
import { fromBytes, toBytes } from '../../src/state/json-bytes.ts'
import type { Json } from '../../src/state/json.ts'
import { toBytesInSlices } from '../../src/state/slices/encode.ts'
import { parseInSlices } from '../../src/state/slices/parse.ts'
import { pauses } from '../../src/state/slices/pause.ts'

const large = (): Json => ({
  __proto__x: 'a "quoted" \\ text, {[ and }]',
  10: 'number-like',
  2: 'keys come first',
  messages: Array.from({ length: 3000 }, (_, i) => ({
    n: i,
    text: `${'word, "said" \\\\ '.repeat(i % 30)}`,
    nested: [[], {}, [i, { deep: [null, true, -1.5e3] }]],
  })),
  long: 'ü😀"\\'.repeat(60_000),
  list: Array.from({ length: 50_000 }, (_, i) => i),
  empty: {},
})
const never = (): undefined => undefined

describe('parsing in slices', () => {
  it('gives what parsing at once gives, the order of keys included', async () => {
    const bytes = toBytes(large())
    const parsed = await parseInSlices(bytes, never)
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(large()))
  })

  it('does so for any value, however it is cut', async () => {
    // Repeated until it is worth slicing: each kind of value then stands at a border at some time.
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json
        const text = JSON.stringify(json)
        const times = Math.ceil(300_000 / (text.length + 1))
        const listed = { list: Array.from({ length: times }, () => json), last: json }
        expect(await parseInSlices(toBytes(listed), never)).toEqual(listed)
      }),
      { numRuns: 40 },
    )
  })

  it('does so for a long text, whatever stands where it is cut', async () => {
    const pieces = ['a', '\\\\', '"', '\n', '\u0001', 'é', '😀', '\ud83d', '\ude00', '\\u', '\\"']
    const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 9 }))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1 }), fc.boolean(), async (some, isAscii) => {
        const text = some.join('') || 'a'
        const long = text.repeat(Math.ceil(150_000 / text.length))
        const json = JSON.stringify(long)
        const bytes = isAscii ? toBytes(long) : new TextEncoder().encode(json)
        expect((await parseInSlices(bytes, never)) === fromBytes(bytes)).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  it('asks for a pause all along a long text, at each depth', async () => {
    const asked = async (length: number): Promise<number> => {
      let times = 0
      await parseInSlices(toBytes({ deep: [{ text: 'word '.repeat(length / 5) }] }), () => void times++)
      return times
    }
    // Of a text that is parsed by itself it is asked too: what is above that is for the containers.
    const byItself = async (length: number): Promise<number> => {
      let times = 0
      await parseInSlices(toBytes('word '.repeat(length / 5)), () => void times++)
      return times
    }
    const [few, many] = [5_000_000, 15_000_000]
    const growth = (await asked(many)) - (await asked(few))
    const ofText = (await byItself(many)) - (await byItself(few))
    expect(growth - ofText).toBeGreaterThanOrEqual((3 * (many - few)) / 2 ** 20 - 3)
  })

  it('refuses a comma too many, wherever it stands', async () => {
    const items = Array.from({ length: 3 }, (_, i) => JSON.stringify(`${i}`.repeat(100_000)))
    for (const text of [
      `[${items.join()},]`,
      `[,${items.join()}]`,
      `[${items.join(',,')}]`,
      `{"a":${items[0]},"b":${items[1]},}`,
    ])
      await expect(parseInSlices(new TextEncoder().encode(text), () => undefined)).rejects.toMatchObject({
        code: 'CORRUPT',
      })
  })

  it('goes through what is nested a bounded number of times, however deep that is', async () => {
    let looks = 0
    const counted = (): undefined => void looks++
    const deep = (depth: number): Uint8Array =>
      new TextEncoder().encode('['.repeat(depth) + '1,'.repeat(200_000) + '1' + ']'.repeat(depth))
    await expect(parseInSlices(deep(300_000), counted)).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(looks).toBeLessThan(20)
    const bytes = deep(900)
    expect(await parseInSlices(bytes, counted)).toEqual(fromBytes(bytes))
    expect(looks).toBeLessThan(400)
  })

  it('keeps a key named __proto__ a key', async () => {
    const text = `{"a":[${'1,'.repeat(200_000)}1],"__proto__":{"polluted":true},"b":1}`
    const parsed = (await parseInSlices(new TextEncoder().encode(text), never)) as Record<string, unknown>
    expect(Object.keys(parsed)).toEqual(['a', '__proto__', 'b'])
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  })

  const filler = '1,'.repeat(100_000)
  it.each([
    ['a comma too many', `[${filler}]`],
    ['two commas', `[1,,${filler}1]`],
    ['no end', `[${filler}1`],
    ['another bracket at the end', `[${filler}1}`],
    ['a bracket too many', `[${filler}1]]`],
    ['a text without end', `["${filler}]`],
    ['a text by itself without end', `"${filler}`],
    ['a text whose end is none', `"${filler}\\"`],
    ['two texts', `"${filler}"${filler}"`],
    ['no escape', `"${filler}\\x${filler}"`],
    ['a key that is no text', `{1:[${filler}1]}`],
    ['a key without a colon', `{"a"[${filler}1]}`],
    ['brackets that do not match', `[[${filler}1},[1]]`],
    ['nothing but closing brackets', ']'.repeat(200_000)],
  ])('refuses %s', async (_, text) => {
    const parsing = parseInSlices(new TextEncoder().encode(text), never)
    await expect(parsing).rejects.toMatchObject({ code: 'CORRUPT' })
  })
})

describe('encoding in slices', () => {
  const rare = '😀 ü'.repeat(100)
  it.each<[string, Json]>([
    ['all of it', large()],
    ['a text', 'word "said" \n \\ '.repeat(50_000)],
    ['a text with few characters beyond ASCII', `${rare}${'a'.repeat(300_000)}${rare}`],
    ['a text with many of them', 'ü😀'.repeat(150_000)],
    ['halves of characters', `${'a'.repeat(128 * 1024 - 1)}😀${'\ud83d'.repeat(200_000)}`],
    ['a list of lists', Array.from({ length: 300 }, () => Array.from({ length: 300 }, (_, i) => [i, null]))],
    ['something small', { a: [1, 'b'] }],
    [
      'keys that are numbers',
      Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [i % 3 ? i : `k${i}`, i])),
    ],
  ])('gives the bytes that encoding at once gives: %s', async (_, value) => {
    const bytes = await toBytesInSlices(value, never)
    const whole = toBytes(value)
    expect(bytes.length).toBe(whole.length)
    expect(bytes.every((byte, i) => byte === whole[i])).toBe(true)
  })

  it('does so for any value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json
        const times = Math.ceil(300_000 / (JSON.stringify(json).length + 1))
        const listed = { list: Array.from({ length: times }, () => json), last: json }
        expect(fromBytes(await toBytesInSlices(listed, never))).toEqual(listed)
      }),
      { numRuns: 40 },
    )
  })
})

describe('decoding in slices', () => {
  const codec = createCodec()
  const live = {
    messages: Array.from({ length: 30_000 }, (_, i) => ({ n: i, at: i % 100 ? i : new Date(i) })),
    map: new Map(Array.from({ length: 20_000 }, (_, i) => [i, { i }])),
    byObject: new Map([[new Date(1), new Set(Array.from({ length: 20_000 }, (_, i) => `${i}`))]]),
    keys: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i % 50 ? i : [i]])),
    text: 'x'.repeat(100),
  }

  it('gives what decoding at once gives, and nothing of it is shared', async () => {
    const { state } = codec.capture(live)
    const decoded = await codec.decodeInSlices(state, never)
    expect(decoded).toEqual(codec.decode(state))
    expect(decoded).toEqual(live)
    expect((decoded as typeof live).messages[1]).not.toBe((state as never as typeof live).messages[1])
  })

  it('says where a value is damaged', async () => {
    const { state } = codec.capture(live)
    const messages = (state as unknown as { messages: Json[] }).messages.with(20_000, { $fp: ['nothing'] })
    const damaged = { ...(state as object), messages } as unknown as Json
    const path = '$.messages[20000]'
    await expect(codec.decodeInSlices(damaged, never)).rejects.toMatchObject({ code: 'CORRUPT' })
    const error: unknown = await codec.decodeInSlices(damaged, never).catch((reason: unknown) => reason)
    expect((error as { path: string }).path).toContain(path)
  })

  it('says where a value of a Map is damaged, and that a Map is none', async () => {
    const pairs = Array.from({ length: 20_000 }, (_, i): Json => [i, i])
    for (const [item, path] of [
      [[1, { $fp: ['nothing'] }], '[15000][1]'],
      [[1], '$.map'],
      ['no pair', '$.map'],
    ] as const) {
      const map: Json = { $fp: ['map', pairs.with(15_000, item as Json)] }
      const error: unknown = await codec.decodeInSlices({ map }, never).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'CORRUPT', path: expect.stringContaining(path) })
    }
  })

  it.each([
    ['Map', new Map(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))],
    ['Set', new Set(Array.from({ length: 50_000 }, (_, i) => i))],
    ['object', Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))],
  ])('rests all along a large %s', async (_, value) => {
    let asked = 0
    await codec.decodeInSlices(codec.capture({ value }).state, () => void asked++)
    expect(asked).toBeGreaterThan(50_000)
  })

  it('rests on the way, and stops at once when it is told to', async () => {
    const { state } = codec.capture(live)
    let asked = 0
    await codec.decodeInSlices(state, () => void asked++)
    expect(asked).toBeGreaterThan(1000)
    const controller = new AbortController()
    const reason = new Error('enough')
    const stopping = codec.decodeInSlices(state, () => {
      controller.abort(reason)
      return Promise.resolve().then(() => controller.signal.throwIfAborted())
    })
    await expect(stopping).rejects.toBe(reason)
  })
})

it('a pause lets other tasks run, and ends with the reason of the signal', async () => {
  const controller = new AbortController()
  const pause = pauses(controller.signal)
  const end = performance.now() + 6
  while (performance.now() < end);
  let ran = false
  setTimeout(() => (ran = true), 0)
  for (let i = 0; i < 1000 && !ran; i++) {
    while (performance.now() < end + i * 6);
    await pause()
  }
  expect(ran).toBe(true)
  controller.abort(new Error('stop'))
  const later = performance.now() + 6
  while (performance.now() < later);
  await expect(pause()).rejects.toThrow('stop')
})

it('a pause that is made in the midst of a task counts what was before it in that task', async () => {
  let now = performance.now() + 1_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const host = pauses()
  now += 2
  expect(host()).toBeUndefined()
  const caller = pauses()
  now += 2
  const due = caller()
  expect(due).toBeInstanceOf(Promise)
  await due
  expect(caller()).toBeUndefined()
  now += 5
  expect(host()).toBeInstanceOf(Promise)
  // Of what was long ago it is known that it was in another task.
  now += 1_000
  expect(pauses()()).toBeUndefined()
})
