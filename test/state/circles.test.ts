import { describe, expect, test } from 'vitest'
import { createCodec } from '../../src/state/codec.ts'
import { fold } from '../../src/state/delta.ts'
import type { Json } from '../../src/state/json.ts'
import { Money, Point, objectOf, types } from './arbitrary.ts'
import { difference } from './difference.ts'

const codec = createCodec(types)

describe('circles', () => {
  function ring(): Record<string, unknown> {
    const root: Record<string, unknown> = { name: 'root', when: new Date(3), bytes: new Uint8Array([1]) }
    const list: unknown[] = [root, 1]
    const map = new Map<unknown, unknown>([
      [root, list],
      ['map', root],
    ])
    const set = new Set<unknown>([root, map, list])
    const none = objectOf(
      [
        ['__proto__', root],
        ['set', set],
      ],
      null,
    )
    const error = new Error('e', { cause: root })
    const point = new Point(root)
    const sparse: unknown[] = []
    sparse[3] = root
    return Object.assign(root, {
      self: root,
      list,
      map,
      set,
      none,
      error,
      point,
      sparse,
      esc: { '\n': root, $fp: list },
    })
  }
  test('through every container', () => {
    const live = { before: 1, deep: [{ ring: ring() }], money: new Money(1n) }
    const { state } = codec.capture(live)
    const decoded = codec.decode(JSON.parse(JSON.stringify(state)) as Json) as typeof live
    expect(difference({ ...decoded, money: 0 }, { ...live, money: 0 })).toBeUndefined()
    expect(codec.capture(live, state).state).toBe(state)
  })
  test('deltas reach inside', () => {
    const live = ring()
    const { state } = codec.capture(live)
    ;(live['list'] as unknown[]).push('new')
    const { state: after, delta } = codec.capture(live, state)
    expect(JSON.stringify(delta).length).toBeLessThan(60)
    expect(fold(state, delta!)).toEqual(after)
  })
  test('a long chain that closes', () => {
    const first: { next?: object } = {}
    let last = first
    for (let i = 0; i < 100_000; i++) last = last.next = {}
    last.next = first
    let node = codec.decode(codec.capture([first]).state) as { next: never }[]
    const start = node[0]!
    let at: { next: never } = start
    let count = 0
    do at = at.next
    while (++count && at !== start)
    expect(count).toBe(100_001)
    node = []
  })
  test('through an own kind they are refused', () => {
    class Link {
      to: unknown
    }
    const linked = createCodec([
      {
        name: 'Link',
        isApplicable: (x) => x instanceof Link,
        serialize: (x) => ({ to: (x as Link).to }),
        deserialize: (x) => x,
      },
    ])
    const link = new Link()
    link.to = { link }
    expect(() => linked.capture({ link })).toThrow(expect.objectContaining({ code: 'INVALID' }))
  })
})
