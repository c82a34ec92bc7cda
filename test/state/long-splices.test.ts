import { describe, expect, it } from 'vitest'
import type { Delta } from '../../src/state/delta.ts'
import { fold } from '../../src/state/delta.ts'
import type { Json } from '../../src/state/json.ts'

/** The same numbers each time. */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

describe('many splices of what is long', () => {
  it.each([1, 2, 3, 4, 5, 6])('give what they give one after the other, world %i', (seed) => {
    const roll = dice(seed)
    const list: Json[] = Array.from({ length: 20_000 }, (_, n) => ({ n }))
    let text = 'abcdefgh'.repeat(15_000)
    const base = { list: [...list], inner: { text }, beside: [text] }
    const ops: [...Delta] = []
    for (let n = 0; n < 400; n++) {
      const at = roll(list.length)
      const remove = Math.min(roll(roll(4) === 0 ? 6_000 : 3), list.length - at)
      const items = Array.from({ length: roll(roll(4) === 0 ? 6_000 : 3) }, (_, i) => `${n} ${i}`)
      list.splice(at, remove, ...items)
      ops.push(['[', ['list'], at, remove, items])
      const from = roll(text.length)
      const gone = Math.min(roll(20_000), text.length - from)
      const put = 'xyz'.repeat(roll(6_000))
      text = text.slice(0, from) + put + text.slice(from + gone)
      ops.push(['"', ['inner', 'text'], from, gone, put])
      const place = roll(list.length)
      list[place] = { set: n }
      ops.push(['=', ['list', place], { set: n }], ['=', ['list', place, 'also'], n])
      list[place] = { set: n, also: n }
    }
    ops.push(
      ['[', ['beside'], 0, 0, ['before']],
      ['"', ['beside', 1], 5, 1, '!'],
      ['[', ['beside'], 0, 0, [0]],
    )
    const before = JSON.stringify(base)
    const after = fold(base, ops)
    expect(JSON.stringify(after)).toBe(
      JSON.stringify({ list, inner: { text }, beside: [0, 'before', `abcde!${base.inner.text.slice(6)}`] }),
    )
    expect(JSON.stringify(base)).toBe(before)
  })

  it('of a text that is the whole state, and of one that is let go', () => {
    const text = 'x'.repeat(100_000)
    const splice = (path: string[], at: number): Delta[number] => ['"', path, at, 1, 'y']
    expect(fold(text, [splice([], 7), splice([], 9)])).toBe(`${text.slice(0, 7)}yxy${text.slice(10)}`)
    expect(fold({ text }, [splice(['text'], 7), ['-', [], ['text']]])).toEqual({})
    expect(() => fold({ text }, [splice(['text'], 7), ['=', ['text', 'x'], 1]])).toThrow('does not fit')
    expect(() => fold({ text }, [splice(['text'], 7), splice(['text'], 100_000)])).toThrow('does not fit')
    expect(() =>
      fold({ list: Array(9_000).fill(0) }, [
        ['[', ['list'], 1, 1, []],
        ['[', ['list'], 8_999, 1, []],
      ]),
    ).toThrow('does not fit')
  })

  it('cost what they change: one of thousands of them keeps nobody waiting', () => {
    const started = performance.now()
    const text = 'x'.repeat(10_000_000)
    const texts = Array.from({ length: 3_000 }, (_, i): Delta[number] => [
      '"',
      [],
      (i * 7_919) % 9_000_000,
      1,
      'yé',
    ])
    expect((fold(text, texts) as string).length).toBe(10_003_000)
    const list: Json = Array(1_000_000).fill(0)
    const lists = Array.from({ length: 20_000 }, (_, i): Delta[number] => [
      '[',
      [],
      (i * 7_919) % 900_000,
      1,
      [1, 2],
    ])
    expect((fold(list, lists) as Json[]).length).toBe(1_020_000)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
