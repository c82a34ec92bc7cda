import { describe, expect, test } from 'vitest'
import { createCodec } from '../../src/state/codec.ts'
import type { Json } from '../../src/state/json.ts'
import { Money, Point, objectOf, types } from './arbitrary.ts'
import { difference } from './difference.ts'

const codec = createCodec(types)
const back = (live: unknown): unknown =>
  codec.decode(JSON.parse(JSON.stringify(codec.capture(live).state)) as Json)

const hole = [1, , 3] // eslint-disable-line no-sparse-arrays
const far: unknown[] = []
far.length = 2 ** 32 - 1
far[2 ** 32 - 2] = new Map([[1, 2]])
const sticky = /a/gy
sticky.lastIndex = 5
const named = new TypeError('odd')
named.name = 'Custom'
const coded = Object.assign(new Error('no such file'), { code: 'ENOENT', at: new Date(1) })
class OwnError extends RangeError {
  override name = 'OwnError'
}
const buffer = new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]).buffer

const kinds: Record<string, unknown> = {
  undefined: [undefined],
  numbers: [NaN, Infinity, -Infinity, -0, 0, 5e-324, Number.MAX_VALUE],
  bigint: [0n, -12345678901234567890n],
  dates: [new Date(0), new Date(-8.64e15), new Date(8.64e15), new Date(NaN)],
  regexps: [/a\/b[/]\n/giu, new RegExp(''), new RegExp('\n/'), sticky],
  urls: [new URL('https://ü.example/a b?c#d'), new URL('blob:null/1')],
  bytes: [buffer, new DataView(buffer, 3, 5), new Uint8Array(buffer, 1, 2), new Float32Array(buffer, 4, 2)],
  views: [Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array].map(
    (View) => new View(buffer),
  ),
  'wide views': [Float64Array, BigInt64Array, BigUint64Array].map((View) => new View(buffer)),
  'many bytes': Uint8Array.from({ length: 100_001 }, (_, i) => (i * 7) % 256),
  maps: new Map<unknown, unknown>([
    [{ a: 1 }, new Map([[NaN, 1]])],
    ['a', new Set([new Set()])],
    [undefined, -0],
  ]),
  sets: new Set<unknown>([1, '1', [1], undefined, new Date(0)]),
  errors: [
    new Error('a', { cause: new TypeError('b') }),
    named,
    coded,
    new AggregateError([new Error('x'), 1], 'm'),
  ],
  holes: [hole, far, Array(3), [,], [undefined, ,]], // eslint-disable-line no-sparse-arrays
  'no prototype': objectOf(
    [
      ['a', 1],
      ['__proto__', { b: 2 }],
    ],
    null,
  ),
  'own $fp': [{ $fp: ['Date', 'x'] }, { $fp: 1, a: { $fp: 2 } }, objectOf([['$fp', 1]], null)],
  'names of traps': JSON.parse(
    '{"__proto__":{"a":1},"constructor":{"prototype":2},"toJSON":1,"":{"a.b":3},"then":4}',
  ),
  'integer keys': { b: 1, 10: 2, 9: 3, '01': 4, '-1': 5, 4294967295: 6 },
  'a backslash key': [
    { a: 0, '\\': 1 },
    { a: 0, '\n': 1 },
    { a: 0, '"': 1 },
    { a: 0, '\ud800': 1 },
  ],
  surrogates: ['\ud800', '\udc00\ud800', '😀'],
  class: new Point({ when: new Date(5), inner: new Point('\n') }),
  'class props': Object.assign(new Point(1), { $fp: 1, '\n': [2] }),
  long: 'é'.repeat(10_000_000),
}

test.each(Object.entries(kinds))('%s come back exactly', (_name, live) => {
  expect(difference(back(live), live)).toBeUndefined()
  const { state } = codec.capture(live)
  const text = JSON.parse(JSON.stringify(state)) as Json
  expect(codec.capture(live, text).state).toBe(text)
})

test('an own kind, a class of errors and a foreign error', () => {
  expect((back([new Money(12n)]) as [Money])[0].cents).toBe(12n)
  const foreign = back(new OwnError('m')) as Error
  expect(foreign).toBeInstanceOf(RangeError)
  expect([foreign.name, foreign.message]).toEqual(['OwnError', 'm'])
  const own = createCodec([{ name: 'OwnError', class: OwnError }])
  const error = new OwnError('m', { cause: 1 })
  expect(difference(own.decode(own.capture(error).state), error)).toBeUndefined()
  const dom = back(new DOMException('gone', 'AbortError')) as Error
  expect([dom.name, dom.message]).toEqual(['AbortError', 'gone'])
})

test('a decoded value shares nothing with the state', () => {
  const { state } = codec.capture({ a: [{ b: 1 }] })
  const live = codec.decode(state) as { a: { b: number }[] }
  live.a[0]!.b = 2
  expect(state).toEqual({ a: [{ b: 1 }] })
})

describe('an item of a list like the one before it', () => {
  const before = codec.capture({ list: [{ a: 0, b: 'x' }] }).state
  class Like {
    a = 0
    b = 'x'
  }
  test('is the same when it says the same', () => {
    expect(codec.capture({ list: [{ a: 0, b: 'x' }] }, before).state).toBe(before)
  })
  test.each<[string, unknown]>([
    ['a zero below', { a: -0, b: 'x' }],
    ['another order', { b: 'x', a: 0 }],
    ['one less', { a: 0 }],
    ['one more', { a: 0, b: 'x', c: undefined }],
    ['no prototype', Object.assign(Object.create(null), { a: 0, b: 'x' })],
  ])('is another with %s', (_, item) => {
    const live = { list: [item] }
    const { state } = codec.capture(live, before)
    expect(state).not.toBe(before)
    expect(difference(live, codec.decode(state))).toBeUndefined()
  })
  test.each<[string, unknown, string]>([
    ['a symbol', { a: 0, b: 'x', [Symbol('s')]: 1 }, '$.list[0]'],
    ['another class', new Like(), '$.list[0]'],
    [
      'a getter that throws',
      {
        a: 0,
        get b(): never {
          throw new Error('no')
        },
      },
      '$.list[0].b',
    ],
  ])('is refused with %s', (_, item, path) => {
    const attempt = () => codec.capture({ list: [item] }, before)
    expect(attempt).toThrow(expect.objectContaining({ code: 'INVALID', path }))
  })
})

test('a getter is read once for a new object', () => {
  let reads = 0
  const live = {
    get a() {
      return ++reads
    },
  }
  expect(codec.capture(live).state).toEqual({ a: 1 })
})

describe('refused, with the path', () => {
  class Stranger {}
  class Sub extends Point {}
  const symbolic = { [Symbol('s')]: 1 }
  const thrower = {
    get x(): never {
      throw new Error('no')
    },
  }
  const frozen = Object.freeze({ f: Object.freeze([() => 1]) })
  /** A page that is not isolated has none. */
  const shared: [unknown, string, RegExp][] =
    typeof SharedArrayBuffer === 'undefined'
      ? []
      : [[{ s: new Uint8Array(new SharedArrayBuffer(1)) }, '$.s', /shared/]]
  test.each<[unknown, string, RegExp]>([
    [{ a: [1, () => 1] }, '$.a[1]', /function/],
    [{ a: Symbol('x') }, '$.a', /symbol/],
    [{ messages: [{ run: new Stranger() }] }, '$.messages[0].run', /Stranger.*`types`/],
    [[new Sub(1)], '$[0]', /Sub/],
    [{ p: Promise.resolve() }, '$.p', /await/],
    [{ w: new WeakMap() }, '$.w', /WeakMap/],
    [{ w: new WeakRef({}) }, '$.w', /WeakRef/],
    [{ b: new Blob([]) }, '$.b', /arrayBuffer/],
    [{ s: new String('x') }, '$.s', /primitive/], // eslint-disable-line no-new-wrappers
    [{ a: Object.assign([1], { extra: 1 }) }, '$.a', /extra/],
    [{ a: Object.assign(new Date(), { extra: 1 }) }, '$.a', /extra/],
    [{ a: symbolic }, '$.a', /Symbol\(s\)/],
    [{ a: thrower }, '$.a.x', /failed/],
    [{ users: new Map([['bob', { f() {} }]]) }, '$.users.bob.f', /function/],
    [new Map([[{ f() {} }, 1]]), '$[0].key.f', /function/],
    [new Set([1, { f() {} }]), '$[1].f', /function/],
    [{ e: Object.assign(new Error('x'), { f() {} }) }, '$.e.f', /function/],
    [{ e: new Error('x', { cause: () => 1 }) }, '$.e.cause', /function/],
    [new Point([() => 1]), '$.x[0]', /function/],
    [{ $fp: { a: () => 1 } }, '$.a', /function/],
    [Object.assign(Object.create(null), { a: () => 1 }), '$.a', /function/],
    [frozen, '$.f[0]', /function/],
    [Object.create({ a: 1 }), '$', /cannot be stored/],
    ...shared,
    [{ t: 'x'.repeat(2 ** 28 + 1) }, '$.t', /string/],
  ])('%#: at %2$s', (live, path, message) => {
    for (const previous of [undefined, [1, { a: 1 }], {}]) {
      const attempt = () => (previous === undefined ? codec.capture(live) : codec.capture(live, previous))
      expect(attempt).toThrow(
        expect.objectContaining({ code: 'INVALID', path, message: expect.stringMatching(message) }),
      )
    }
  })
})

describe('depth', () => {
  const nest = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
    let live: unknown = 1
    for (let i = 0; i < depth; i++) live = wrap(live)
    return live
  }
  test.each([1001, 10_000, 100_000])('%i levels are refused', (depth) => {
    const tooDeep = expect.objectContaining({ code: 'INVALID', message: expect.stringMatching(/deeper/) })
    expect(() => codec.capture(nest(depth, (inner) => [inner]))).toThrow(tooDeep)
    expect(() =>
      codec.capture(
        nest(depth, (inner) => ({ inner })),
        { inner: {} },
      ),
    ).toThrow(tooDeep)
    expect(() => codec.capture(nest(depth, (inner) => new Map([[1, inner]])))).toThrow(tooDeep)
  })
  test('1000 levels are kept', () => {
    const live = nest(1000, (inner) => [inner])
    const { state } = codec.capture(live)
    expect(JSON.stringify(codec.decode(state))).toBe(JSON.stringify(live))
    expect(
      codec.capture(
        nest(1000, (inner) => [inner]),
        state,
      ).state,
    ).toBe(state)
  })
  test('a tree without end is refused', () => {
    const endless = (): object => ({
      get next() {
        return endless()
      },
    })
    expect(() => codec.capture(endless())).toThrow(expect.objectContaining({ code: 'INVALID' }))
  })
})
