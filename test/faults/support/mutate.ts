/** Changes to JSON as one who means harm would make them, or a disk. */
export type Random = () => number

type Value = unknown

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T

const below = (random: Random, most: number): number => Math.floor(random() * most)

/** Keys that have power over objects, and keys of ours. */
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '$fp',
  'length',
  'seq',
  'lane',
  'hide',
  '\\',
  '"',
  '',
]
const NUMBERS = [
  0,
  -0,
  -1,
  1,
  0.5,
  2 ** 20,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e21,
  1e300,
  -1e300,
]
const TEXTS = [
  '',
  'x',
  '__proto__',
  'NaN',
  '-0',
  '1'.repeat(400),
  '/(/',
  '/a/g',
  'AAAA',
  '\ud800',
  'https://a.example',
  '2020-13-45T00:00:00.000Z',
  '😀',
]
const KINDS = [
  'undefined', 'number', 'bigint', 'Date', 'invalid-date', 'regexp', 'URL', 'bytes', 'map', 'set', 'sparse',
  'null-object', 'object', 'error', 'class', 'custom', 'graph', 'ref', 'nothing',
] // prettier-ignore

function boxOf(random: Random): Value {
  const kind = pick(random, KINDS)
  const length = pick(random, [2 ** 32 - 1, 30_000_000, 2 ** 40, -1, 3])
  const holds: readonly Value[] = [
    null,
    length,
    pick(random, TEXTS),
    [],
    [[length, 1]],
    [[{ $fp: ['ref', 0] }, 1]],
    { name: 'Error', props: { ['__proto__']: 1 } },
    'Float64Array',
    JSON.parse('{"__proto__":{"polluted":1}}'),
  ]
  return { $fp: [kind, ...Array.from({ length: below(random, 4) }, () => pick(random, holds))] }
}

function deep(random: Random): Value {
  const depth = pick(random, [20, 998, 1001])
  const [open, close] = pick(random, [
    ['[', ']'],
    ['{"a":', '}'],
    ['{"$fp":["set",[', ']]}'],
  ] as const)
  return JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`) as Value
}

function anything(random: Random): Value {
  switch (below(random, 7)) {
    case 0:
      return pick(random, NUMBERS)
    case 1:
      return pick(random, TEXTS)
    case 2:
      return pick(random, [null, true, false, [], {}])
    case 3:
      return deep(random)
    case 4:
      return JSON.parse(`{${JSON.stringify(pick(random, KEYS))}:{"polluted":true}}`) as Value
    case 5:
      return Array.from({ length: below(random, 50) }, () => pick(random, NUMBERS))
    default:
      return boxOf(random)
  }
}

/** One change somewhere in a value; what it was made from stays as it is. */
export function mutated(value: Value, random: Random): Value {
  if (typeof value !== 'object' || value === null || random() < 0.12) return changed(value, random)
  if (Array.isArray(value)) return mutatedList(value as readonly Value[], random)
  const keys = Object.keys(value)
  if (keys.length === 0 || random() < 0.15) return withKey(value, pick(random, KEYS), anything(random))
  const key = pick(random, keys)
  const held = (value as Record<string, Value>)[key]
  if (random() < 0.1) return Object.fromEntries(Object.entries(value).filter(([each]) => each !== key))
  if (random() < 0.08) return withKey(value, pick(random, KEYS), held)
  return withKey(value, key, mutated(held, random))
}

function mutatedList(list: readonly Value[], random: Random): Value {
  if (list.length === 0) return [anything(random)]
  const at = below(random, list.length)
  const held = list[at]
  switch (below(random, 8)) {
    case 0:
      return list.toSpliced(at, 1)
    case 1:
      return list.toSpliced(at, 0, held)
    case 2:
      return list.toReversed()
    case 3:
      return list.toSpliced(at, 0, anything(random))
    default:
      return list.with(at, mutated(held, random))
  }
}

function changed(value: Value, random: Random): Value {
  if (typeof value === 'number' && random() < 0.5)
    return pick(random, [value + 1, value - 1, -value, value * 1000])
  if (typeof value === 'string' && value !== '' && random() < 0.5) return flippedText(value, random)
  return anything(random)
}

function flippedText(text: string, random: Random): string {
  const at = below(random, text.length)
  return (
    text.slice(0, at) +
    pick(random, ['', '"', '\\', '{', '0', '\u0000', 'é']) +
    text.slice(at + below(random, 3))
  )
}

/** As JSON has it: `__proto__` is a key like any other. */
const withKey = (value: object, key: string, held: Value): Value =>
  Object.defineProperty({ ...value }, key, {
    value: held,
    enumerable: true,
    writable: true,
    configurable: true,
  })

/** Bytes flipped, dropped, repeated or put in. */
export function mutatedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = below(random, bytes.length + 1)
  const size = 1 + below(random, pick(random, [1, 8, 200]))
  const noise = Uint8Array.from({ length: size }, () => below(random, 256))
  const cut = bytes.slice(at, at + size)
  switch (below(random, 6)) {
    case 0:
      return bytes.slice(0, at)
    case 1:
      return joined(bytes.slice(0, at), bytes.slice(at + size))
    case 2:
      return joined(bytes.slice(0, at), noise, bytes.slice(at))
    case 3:
      return joined(bytes.slice(0, at), cut, bytes.slice(at))
    default: {
      const copy = bytes.slice()
      for (let i = 0; i < 1 + below(random, 4); i++) {
        const place = below(random, copy.length)
        copy[place] = (copy[place] ?? 0) ^ (1 << below(random, 8))
      }
      return copy
    }
  }
}

const joined = (...pieces: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(pieces.flatMap((piece) => [...piece]))
