import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CheckpointerError } from '../../src/errors.ts'
import { createCodec } from '../../src/state/codec.ts'
import { fold, parseDelta } from '../../src/state/delta.ts'
import type { Json } from '../../src/state/json.ts'
import { json, key, types } from './arbitrary.ts'

const codec = createCodec(types)

function fails(what: () => unknown, code?: string): void {
  try {
    what()
  } catch (error) {
    if (!CheckpointerError.is(error)) throw error
    if (code !== undefined) expect(error.code).toBe(code)
    return
  }
  if (code !== undefined) expect.unreachable(`should be ${code}`)
}

const kinds = [
  'undefined',
  'number',
  'bigint',
  'Date',
  'regexp',
  'URL',
  'bytes',
  'map',
  'set',
  'error',
  'sparse',
  'class',
]
const more = [
  'custom',
  'object',
  'null-object',
  'graph',
  'ref',
  'invalid-date',
  'symbol',
  'typed-array',
  'polluted',
]
const boxed = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    json as fc.Arbitrary<Json>,
    fc.constantFrom<Json>(
      'Point',
      'Money',
      'NaN',
      '12',
      '/a/',
      '/(/',
      'AAAA',
      'Uint8Array',
      0,
      1,
      -1,
      4294967295,
      1e30,
    ),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.record({
      name: fc.constantFrom('Error', 'x'),
      type: fc.constantFrom('Error', 'y'),
      props: tie('any'),
    }),
    fc
      .tuple(fc.constantFrom(...kinds, ...more), fc.array(tie('any'), { maxLength: 3 }))
      .map(([kind, rest]) => ({ $fp: [kind, ...rest] })),
    fc.array(tie('any'), { maxLength: 3 }).map((nodes) => ({ $fp: ['graph', nodes] })),
    fc.tuple(key, tie('any')).map(([name, inner]) => ({ [name]: inner })),
  ) as fc.Arbitrary<Json>,
})).any

test('any row at all decodes or is an error of ours, and changes no prototype', () => {
  fc.assert(
    fc.property(boxed, (state) => {
      fails(() => codec.decode(JSON.parse(JSON.stringify(state)) as Json))
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
    { numRuns: 2000 },
  )
})

const kind = fc.constantFrom('=', '-', '[', '"', '{', '?')
const op = fc.tuple(
  kind,
  fc.array(fc.oneof(key, fc.nat(3), json), { maxLength: 3 }),
  fc.array(fc.oneof(json, fc.nat(5), fc.array(key)), { maxLength: 3 }),
)

/** One that fits, or is `CORRUPT`. */
function folds(base: Json, single: unknown): void {
  try {
    fold(base, parseDelta(JSON.parse(JSON.stringify([single]))))
  } catch (error) {
    if (!CheckpointerError.is(error, 'CORRUPT')) throw error
  }
}

test('any delta at all folds or is CORRUPT, and leaves its base alone', () => {
  fc.assert(
    fc.property(json, fc.array(op.map(([name, path, more]) => [name, path, ...more])), (base, ops) => {
      const text = JSON.stringify(base)
      for (const single of ops) folds(base as Json, single)
      expect(JSON.stringify(base)).toBe(text)
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
    { numRuns: 800 },
  )
})

/** The path to something that is there, which each pick goes one step nearer to. */
function aimed(base: Json, picks: readonly number[]): (string | number)[] {
  const path: (string | number)[] = []
  for (let node = base; typeof node === 'object' && node !== null && path.length < picks.length;) {
    const steps = Array.isArray(node) ? [...node.keys()] : Object.keys(node)
    if (steps.length === 0) break
    const step = steps[picks[path.length]! % steps.length]!
    path.push(step)
    node = (node as Record<string, Json>)[step]!
  }
  return path
}

const rest = fc.oneof(
  fc.tuple(
    fc.nat(2),
    fc.nat(2),
    fc.oneof(fc.constantFrom<Json>('', [], 'a', [null]), json as fc.Arbitrary<Json>),
  ),
  fc.tuple(fc.array(key)),
  fc.tuple(json),
)

test('a delta that is aimed at what is there folds or is CORRUPT, and leaves its base alone', () => {
  fc.assert(
    fc.property(json, fc.array(fc.tuple(kind, fc.array(fc.nat(9)), rest)), (base, ops) => {
      const text = JSON.stringify(base)
      for (const [name, picks, more] of ops) folds(base as Json, [name, aimed(base as Json, picks), ...more])
      expect(JSON.stringify(base)).toBe(text)
    }),
    { numRuns: 800 },
  )
})

test.each([null, true, 7, 'text', [], {}])('no splice but of its own kind fits %j', (base) => {
  for (const [name, items] of [
    ['"', ''],
    ['[', []],
  ] as const) {
    if (name === '"' ? typeof base === 'string' : Array.isArray(base)) continue
    fails(() => fold(base, parseDelta([[name, [], 0, 0, items]])), 'CORRUPT')
    fails(() => fold([base], parseDelta([[name, [0], 0, 0, items]])), 'CORRUPT')
  }
})

test('a path through __proto__ reaches own properties only', () => {
  const evil = '[["=",["__proto__","polluted"],1]]'
  fails(() => fold({}, parseDelta(JSON.parse(evil))), 'CORRUPT')
  fails(() => fold({}, parseDelta(JSON.parse('[["=",["constructor","prototype","polluted"],1]]'))), 'CORRUPT')
  const own = fold(JSON.parse('{"__proto__":{}}') as Json, parseDelta(JSON.parse(evil)))
  expect(JSON.stringify(own)).toBe('{"__proto__":{"polluted":1}}')
  const set = fold({}, [['=', ['__proto__'], { polluted: 1 }]])
  expect(JSON.stringify(set)).toBe('{"__proto__":{"polluted":1}}')
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test.each<[string, Json, string]>([
  ['an unknown kind', { $fp: ['x'] }, 'CORRUPT'],
  ['a box with a second key', { $fp: ['set', []], a: 1 }, 'CORRUPT'],
  ['a class that is not registered', { $fp: ['class', 'Nope', {}] }, 'INVALID'],
  ['a kind that is not registered', { $fp: ['custom', 'Nope', 1] }, 'INVALID'],
  ['a reference outside a graph', { $fp: ['ref', 0] }, 'CORRUPT'],
  ['a length out of range', { $fp: ['sparse', 2 ** 32, []] }, 'CORRUPT'],
  ['a bigint of letters', { $fp: ['bigint', '0x10'] }, 'CORRUPT'],
  ['a bigint without end', { $fp: ['bigint', '1'.repeat(1_000_000)] }, 'CORRUPT'],
  ['a date that is none', { $fp: ['Date', '2020-13-45T00:00:00.000Z'] }, 'CORRUPT'],
  ['a pattern that is none', { $fp: ['regexp', '/(/'] }, 'CORRUPT'],
  ['bytes that fill no element', { $fp: ['bytes', 'Float64Array', 'AAAA'] }, 'CORRUPT'],
  ['base64 with a space', { $fp: ['bytes', 'Uint8Array', 'AA A'] }, 'CORRUPT'],
  ['a view that is none', { $fp: ['bytes', 'Function', 'AAAA'] }, 'CORRUPT'],
])('%s is refused', (_name, state, code) => {
  fails(() => codec.decode({ a: [state] }), code)
})

test('a length alone allocates nothing', () => {
  const state = Array.from({ length: 1000 }, (): Json => ({ $fp: ['sparse', 30_000_000, []] }))
  const arrays = codec.decode(state) as unknown[][]
  expect(arrays.every((array) => array.length === 30_000_000 && Object.keys(array).length === 0)).toBe(true)
})

test('rows that nest without end are CORRUPT', () => {
  const depth = 100_000
  const deep = JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json
  fails(() => codec.decode(deep), 'CORRUPT')
  fails(() => codec.decode({ $fp: ['graph', [deep]] }), 'CORRUPT')
  fails(
    () => codec.decode(JSON.parse('{"$fp":["set",['.repeat(5000) + ']]}'.repeat(5000)) as Json),
    'CORRUPT',
  )
})
