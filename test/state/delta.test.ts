import { describe, expect, test } from 'vitest'
import { createCodec } from '../../src/state/codec.ts'
import { fold } from '../../src/state/delta.ts'
import { diff } from '../../src/state/diff.ts'
import type { Json } from '../../src/state/json.ts'

interface Message {
  id: number
  role: string
  content: string
  meta: { tokens: number; tags: string[] }
}
const message = (id: number): Message => ({
  id,
  role: id % 2 ? 'user' : 'assistant',
  content: `${id}: ${'lorem ipsum '.repeat(100)}`,
  meta: { tokens: id, tags: ['a', 'b'] },
})
const thousand = (): Message[] => Array.from({ length: 1000 }, (_, i) => message(i))

const changes: [string, number, (state: { step: number; messages: Message[] }) => void][] = [
  ['nothing', 2, () => {}],
  ['a number', 30, (state) => state.step++],
  ['one message appended', 1500, ({ messages }) => messages.push(message(1000))],
  ['the first one removed', 40, ({ messages }) => messages.shift()],
  ['a window moved by one', 1500, ({ messages }) => messages.push(message(1000)) && messages.shift()],
  ['a window moved by 300', 1500, ({ messages }) => messages.splice(0, 300) && messages.push(message(1000))],
  ['one put in the middle', 1500, ({ messages }) => messages.splice(500, 0, message(-1))],
  ['one taken out of the middle', 40, ({ messages }) => messages.splice(500, 1)],
  ['two changed far apart', 90, ({ messages }) => (messages[3]!.role = messages[900]!.role = 'tool')],
  ['the last one grown', 60, ({ messages }) => (messages[999]!.content += ' and on')],
  [
    'the last changed and one appended',
    1600,
    ({ messages }) => {
      messages[999]!.meta.tokens = 7
      messages.push(message(1000))
    },
  ],
  [
    'a word amid a long text',
    60,
    ({ messages }) => (messages[0]!.content = messages[0]!.content.replace('ipsum', 'IPSUM')),
  ],
  ['a key added', 40, ({ messages }) => Object.assign(messages[1]!, { done: true })],
  ['emptied', 60, ({ messages }) => (messages.length = 0)],
]

describe.each([false, true])('small deltas (compared as JSON: %s)', (asJson) => {
  test.each(changes)('%s', (_name, limit, change) => {
    const codec = createCodec()
    const live = { step: 1, messages: thousand() }
    const before = codec.capture(live).state
    change(live)
    const captured = codec.capture(live, before)
    const delta = asJson ? diff(before, captured.state) : captured.delta!
    expect(JSON.stringify(delta).length).toBeLessThanOrEqual(limit)
    expect(JSON.stringify(fold(before, delta))).toBe(JSON.stringify(live))
  })
})

test('a delta is never much larger than the state when all is different', () => {
  const before = thousand()
  const after = thousand().map(({ id }) => ({
    ...message(id),
    id: -1 - id,
    role: 'x',
    content: String(id),
    meta: null,
  }))
  expect(JSON.stringify(diff(before as never, after as never)).length).toBeLessThan(
    JSON.stringify(after).length * 1.1,
  )
})

test('10 MB of text grow by what is appended', () => {
  const text = 'abcdefgh'.repeat(1_250_000)
  expect(diff({ text }, { text: `${text}!` })).toEqual([['"', ['text'], text.length, 0, '!']])
})

test('changes inside boxes stay inside', () => {
  const codec = createCodec()
  const map = new Map<string, unknown>([
    ['a', { n: 1, text: 'x'.repeat(1000) }],
    ['b', new Date(1)],
  ])
  const live = { map, set: new Set([1, 2]) }
  const before = codec.capture(live).state
  ;(map.get('a') as { n: number }).n = 2
  live.set.add(3)
  expect(codec.capture(live, before).delta).toEqual([
    ['=', ['map', '$fp', 1, 0, 1, 'n'], 2],
    ['[', ['set', '$fp', 1], 2, 0, [3]],
  ])
})

test('an object that looks like a box is never taken for the box that stood there', () => {
  const codec = createCodec()
  const box = codec.capture(new Set([1])).state as { $fp: Json }
  for (const live of [{ $fp: ['set', [1]] }, { $fp: 0 }, { $fp: new Set([1]) }, { a: [{ $fp: box }] }]) {
    for (const previous of [box, [box], { $fp: 0 }, codec.capture({ $fp: 0 }).state, { a: [box] }]) {
      const { state } = codec.capture(live, previous)
      expect(state).toEqual(codec.capture(live).state)
      expect(codec.capture(live, state).state).toBe(state)
    }
  }
})

test('key order is part of the state', () => {
  const cases: [Json, Json][] = [
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [
      { a: 1, b: 2 },
      { c: 3, a: 1, b: 2 },
    ],
    [
      { a: 1, 2: 2 },
      { 1: 1, a: 1 },
    ],
  ]
  for (const [a, b] of cases) expect(JSON.stringify(fold(a, diff(a, b)))).toBe(JSON.stringify(b))
  expect(diff({ a: 1, b: 2 }, { a: 1, b: 2, c: 3 })).toEqual([['=', ['c'], 3]])
  expect(diff({ a: 1 }, { 1: 1, a: 1 })).toEqual([['=', ['1'], 1]])
})

test('fold shares what it does not touch', () => {
  const base = { a: { x: 1 }, b: { y: [1] } }
  const after = fold(base, [['=', ['a', 'x'], 2]]) as typeof base
  expect(after.b).toBe(base.b)
  expect(base.a.x).toBe(1)
})

test('hostile arrays take no quadratic time', () => {
  const a = Array.from({ length: 20_000 }, (_, i) => ({ same: 'same', also: [1, 2, 3], i }))
  const b = Array.from({ length: 20_001 }, (_, i) => ({ same: 'same', also: [1, 2, 3], i: -i - 1 }))
  const start = performance.now()
  expect(fold(a, diff(a, b))).toEqual(b)
  expect(performance.now() - start).toBeLessThan(3000)
})

describe('frozen', () => {
  const freeze = <T>(live: T): T => {
    if (typeof live === 'object' && live !== null) Object.values(live).forEach(freeze)
    return Object.freeze(live)
  }
  /** Counts how often anything inside is asked for its keys. */
  function counted<T extends object>(live: T): { live: T; walks: () => number } {
    let walks = 0
    const proxy = new Proxy(live, { ownKeys: (target) => (walks++, Reflect.ownKeys(target)) })
    return { live: proxy, walks: () => walks }
  }

  test('a frozen subtree is walked once', () => {
    const codec = createCodec()
    const { live, walks } = counted(freeze(message(1)))
    const first = codec.capture({ list: [live], at: live })
    const after = walks()
    const second = codec.capture({ list: [live, 1], at: live, more: 1 }, first.state)
    expect(walks()).toBe(after)
    expect((second.state as { at: unknown }).at).toBe((first.state as { at: unknown }).at)
    codec.capture([2], first.state)
    expect(codec.capture({ list: [0, live], at: live }, second.state).delta).toHaveLength(3)
    expect(walks()).toBe(after)
  })

  test('what is not frozen all the way down is never trusted', () => {
    const codec = createCodec()
    const inner = { n: 1 }
    const when = new Date(1)
    let got = 1
    const getter = Object.freeze({
      get x() {
        return got
      },
    })
    const live = Object.freeze({
      a: Object.freeze([inner]),
      b: Object.freeze([when]),
      m: Object.freeze({ getter }),
    })
    let { state } = codec.capture(live)
    for (let round = 0; round < 3; round++) {
      inner.n++
      when.setTime(round + 2)
      got++
      const captured = codec.capture(live, state)
      expect(captured.delta).toHaveLength(3)
      state = captured.state
      expect(codec.capture(live, state).delta).toEqual([])
    }
  })

  test('a frozen array whose end is alike but not frozen', () => {
    const codec = createCodec()
    const [a, b] = [freeze({ n: 1 }), freeze({ n: 2 })]
    const { state } = codec.capture(freeze([a, b]))
    const open = { n: 2 }
    const live = Object.freeze([a, freeze({ n: 9 }), open])
    const second = codec.capture(live, state)
    open.n = 3
    expect(codec.capture(live, second.state).state).toEqual([{ n: 1 }, { n: 9 }, { n: 3 }])
  })
})
