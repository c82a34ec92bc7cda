import fc from 'fast-check'

export class Point {
  x: unknown
  constructor(x: unknown) {
    this.x = x
  }
}

export class Money {
  readonly #cents: bigint
  constructor(cents: bigint) {
    this.#cents = cents
  }
  get cents(): bigint {
    return this.#cents
  }
}

export const types = [
  { name: 'Point', class: Point },
  {
    name: 'Money',
    isApplicable: (value: unknown) => value instanceof Money,
    serialize: (value: unknown) => (value as Money).cents,
    deserialize: (stored: unknown) => new Money(stored as bigint),
  },
]

const weird = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'a.b',
  '0',
  '7',
  '01',
  '$fp',
]
export const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
  fc.constantFrom(...weird, 'toJSON', '\ud800', '\\', '\n', '"', '\\n', '\na', '4294967295', '-1'),
  fc.string({ maxLength: 3 }),
)
const words = [
  '',
  'hello',
  'hello world',
  'hello world, this is a longer text 😀',
  '\ud83d',
  '\ude00\ud83d',
  '"\\\n',
]

const text = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 30 }))

const jsonLeaf = fc.oneof(
  text,
  fc.constantFrom(0, 1, 2, 3),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  fc.boolean(),
  fc.constant(null),
)

const leaf = fc.oneof(
  { weight: 4, arbitrary: jsonLeaf },
  fc.constantFrom<unknown>(
    undefined,
    NaN,
    Infinity,
    -Infinity,
    -0,
    new URL('https://a.b/c?d=e#f'),
    /a\/b[/]\n/gu,
    new RegExp(''),
  ),
  fc.bigInt(),
  fc.date(),
  fc.uint8Array({ maxLength: 9 }),
  fc.float64Array({ maxLength: 3 }),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => bytes.slice().buffer),
)

/** Own properties in this order, whatever their names. */
export function objectOf(entries: readonly (readonly [string, unknown])[], proto: object | null): object {
  const object = Object.create(proto) as object
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  }
  return object
}

function sparse(items: readonly (readonly [number, unknown])[]): unknown[] {
  const array: unknown[] = []
  for (const [index, value] of items) array[index] = value
  array.length += 1
  return array
}

function errorOf([Class, message, entries, cause]: [
  ErrorConstructor,
  string,
  [string, unknown][],
  unknown,
]): Error {
  const error = cause === undefined ? new Class(message) : new Class(message, { cause })
  const own = ['name', 'message', 'stack', 'cause', 'errors']
  for (const [name, value] of entries) {
    if (own.includes(name)) continue
    Object.defineProperty(error, name, { value, writable: true, enumerable: true, configurable: true })
  }
  return error
}

const errors = [Error, TypeError, RangeError] as ErrorConstructor[]

/** Of every kind that a state may hold, with few names and numbers, so that two of them overlap. */
export const value = fc.letrec<{ value: unknown; entries: [string, unknown][] }>((tie) => {
  const some = { maxLength: 5 }
  return {
    entries: fc.array(fc.tuple(key, tie('value')), some),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      tie('entries').map((entries) => objectOf(entries as [string, unknown][], Object.prototype)),
      fc.array(tie('value'), { maxLength: 7 }),
      tie('entries').map((entries) => objectOf(entries as [string, unknown][], null)),
      fc.array(fc.tuple(tie('value'), tie('value')), some).map((entries) => new Map(entries)),
      fc.array(tie('value'), some).map((items) => new Set(items)),
      fc.array(fc.tuple(fc.nat(20), tie('value')), some).map(sparse),
      fc
        .tuple(
          fc.constantFrom(...errors),
          text,
          tie('entries') as fc.Arbitrary<[string, unknown][]>,
          tie('value'),
        )
        .map(errorOf),
      tie('value').map((x) => new Point(x)),
    ),
  }
}).value

/** Plain JSON with keys of every kind. */
export const json = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    jsonLeaf,
    fc.array(tie('json'), { maxLength: 8 }),
    fc
      .array(fc.tuple(key, tie('json')), { maxLength: 8 })
      .map((entries) => objectOf(entries, Object.prototype)),
  ),
})).json
