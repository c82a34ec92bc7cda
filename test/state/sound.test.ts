import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CheckpointerError } from '../../src/errors.ts'
import { BOX } from '../../src/state/boxes/shell.ts'
import { createCodec } from '../../src/state/codec.ts'
import type { Json } from '../../src/state/json.ts'
import { checkDelta, Soundness } from '../../src/state/sound.ts'

const codec = createCodec()
const noPause = (): undefined => undefined

const codeOf = async (look: () => unknown): Promise<string> => {
  try {
    await look()
    return 'sound'
  } catch (error) {
    if (!CheckpointerError.is(error)) throw error
    return error.code
  }
}

const kind = fc.constantFrom('undefined', 'number', 'bigint', 'Date', 'regexp', 'URL', 'invalid-date', 'Map')
/** Of each kind what is right, what is nearly so, and what is of another. */
const data = fc.constantFrom<Json>(
  null,
  7,
  true,
  '',
  'NaN',
  '-0',
  '-Infinity',
  '0',
  '12345678901234567890',
  '-1',
  '1n',
  '0x10',
  '2024-02-29T12:00:00.000Z',
  '2024-13-45T99:00:00.000Z',
  '+275760-09-13T00:00:00.001Z',
  '2024-02-29',
  '/a|b/gi',
  '/a/gg',
  '/(/',
  '/[/]/v',
  '//',
  'a/b',
  'https://example.org/a?b#c',
  'https://',
  'no url',
  [],
  {},
)
const rest = fc.array(fc.constantFrom<Json>(0, 3, -1, 1.5, 2 ** 53, null, 'x'), { maxLength: 2 })
const payload = fc.tuple(kind, fc.option(data, { nil: undefined, freq: 10 }), rest)

test('what the store takes for sound, of leaves, is exactly what can be decoded', async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(payload, async ([type, json, more]) => {
      const box: Json = { [BOX]: [type, ...(json === undefined ? [] : [json]), ...more] }
      const decoded = await codeOf(() => codec.decode(box))
      expect(await codeOf(() => new Soundness().check(box, noPause))).toBe(decoded)
      const what = `${type} ${decoded}`
      seen.set(what, (seen.get(what) ?? 0) + 1)
    }),
    { numRuns: 6_000 },
  )
  // Both sides of it were met, of each kind that has two.
  for (const type of ['undefined', 'number', 'bigint', 'Date', 'regexp', 'URL', 'invalid-date'])
    for (const answer of ['sound', 'CORRUPT']) expect([...seen.keys()]).toContain(`${type} ${answer}`)
})

test('what stands at the greatest depth may change, and what would be deeper is refused by the codec', async () => {
  const nest = (depth: number, leaf: unknown): unknown => {
    let state: unknown = { leaf }
    for (let i = 1; i < depth; i++) state = { a: state }
    return state
  }
  for (const [depth, before, after] of [
    [1000, 1, 2],
    [999, { p: 1 }, { p: 2 }],
    [999, new Date(0), new Date(1)],
  ] as const) {
    const first = codec.capture(nest(depth, before)).state
    const { state, delta } = codec.capture(nest(depth, after), first)
    await new Soundness().check(state, noPause)
    await checkDelta(delta ?? [], noPause)
    expect(codec.decode(state)).toEqual(nest(depth, after))
  }
  for (const leaf of [new Date(0), 1n, undefined, [1]]) {
    expect(() => codec.capture(nest(1000, leaf))).toThrow('nest deeper')
    const first = codec.capture(nest(1000, 1)).state
    expect(() => codec.capture(nest(1000, leaf), first)).toThrow('nest deeper')
  }
})
