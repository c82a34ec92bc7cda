/** A state of what JSON lacks, and what must be true of it when it has gone over a port. */
const made = () => ({
  map: new Map<unknown, unknown>([
    ['a', 1],
    [new Date(5), new Map([['deep', new Set([1n])]])],
  ]),
  set: new Set(['x', { in: 'set' }]),
  date: new Date(-1),
  none: new Date(Number.NaN),
  bigint: -(2n ** 80n),
  nan: Number.NaN,
  minusZero: -0,
  infinite: Number.NEGATIVE_INFINITY,
  bytes: Uint8Array.from({ length: 300 }, (_, i) => i),
  floats: Float64Array.of(Number.NaN, -0, 1 / 3),
  proto: JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object,
  missing: undefined as unknown,
  list: [undefined, null, [[-0]]] as unknown[],
  text: 'ä\u{1F600}\uD800 \0',
  error: new RangeError('too far'),
  pattern: /a+/giu,
})
export type Values = ReturnType<typeof made>
export const values = made

const HOLDS: { readonly [Name in keyof Values]: (value: Values[Name], all: Values) => boolean } = {
  map: (map) => {
    const [[key, first] = [], [date, deep] = []] = [...map]
    const inner = deep instanceof Map ? (deep.get('deep') as unknown) : undefined
    return (
      key === 'a' &&
      first === 1 &&
      date instanceof Date &&
      date.getTime() === 5 &&
      inner instanceof Set &&
      inner.has(1n)
    )
  },
  set: (set) => set instanceof Set && set.has('x') && JSON.stringify([...set][1]) === '{"in":"set"}',
  date: (date) => date instanceof Date && date.getTime() === -1,
  none: (date) => date instanceof Date && Number.isNaN(date.getTime()),
  bigint: (value) => value === -(2n ** 80n),
  nan: (value) => Object.is(value, Number.NaN),
  minusZero: (value) => Object.is(value, -0),
  infinite: (value) => value === Number.NEGATIVE_INFINITY,
  bytes: (bytes) =>
    bytes instanceof Uint8Array && bytes.length === 300 && bytes.every((byte, i) => byte === i % 256),
  floats: (floats) =>
    floats instanceof Float64Array &&
    Object.is(floats[0], Number.NaN) &&
    Object.is(floats[1], -0) &&
    floats[2] === 1 / 3,
  proto: (value) =>
    Object.keys(value).join() === '__proto__,constructor' &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !('polluted' in value),
  missing: (value, all) => value === undefined && 'missing' in all,
  list: ([first, second, third]) =>
    first === undefined && second === null && Object.is((third as unknown[][])[0]?.[0], -0),
  text: (text) => text === 'ä\u{1F600}\uD800 \0',
  error: (error) => error instanceof Error && error.name === 'RangeError' && error.message === 'too far',
  pattern: (pattern) => pattern instanceof RegExp && String(pattern) === '/a+/giu',
}

/** The names of those that are not what they were. */
export const changedIn = (found: Values): string[] =>
  (Object.keys(HOLDS) as (keyof Values)[]).filter((name) => !holdsIn(found, name))

const holdsIn = <Name extends keyof Values>(found: Values, name: Name): boolean =>
  HOLDS[name](found[name], found)
