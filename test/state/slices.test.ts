import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCodec } from '../../src/state/codec.ts'
import { toBytes } from '../../src/state/json-bytes.ts'
import type { Json } from '../../src/state/json.ts'
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
    ['a key that is no text', `{1:[${filler}1]}`],
    ['a key without a colon', `{"a"[${filler}1]}`],
    ['brackets that do not match', `[[${filler}1},[1]]`],
    ['nothing but closing brackets', ']'.repeat(200_000)],
  ])('refuses %s', async (_, text) => {
    const parsing = parseInSlices(new TextEncoder().encode(text), never)
    await expect(parsing).rejects.toMatchObject({ code: 'CORRUPT' })
  })
})

describe('decoding in slices', () => {
  const codec = createCodec()
  const live = {
    messages: Array.from({ length: 30_000 }, (_, i) => ({ n: i, at: i % 100 ? i : new Date(i) })),
    map: new Map(Array.from({ length: 20_000 }, (_, i) => [i, { i }])),
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
