import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesBetween } from '../../src/inspector/diff/changes.ts'
import { same } from '../../src/inspector/diff/same.ts'
import { textDiff } from '../../src/inspector/diff/text-diff.ts'

const told = (before: unknown, after: unknown): string[] =>
  [...changesBetween(before, after)].map(({ kind, path }) => `${kind} ${path.join('.')}`)

describe('the changes between two states', () => {
  it('are told where they are', () => {
    const before = { a: 1, gone: 2, deep: { list: [1, { x: 'old' }] }, same: [1] }
    const after = { a: 2, new: 3, deep: { list: [1, { x: 'new' }] }, same: [1] }
    expect(told(before, after)).toEqual(['changed a', 'removed gone', 'changed deep.list.[1].x', 'added new'])
  })

  it('are only what is new when a list has grown, at either end', () => {
    expect(told(['a', 'b'], ['a', 'b', 'c'])).toEqual(['added [2]'])
    expect(told(['a', 'b', 'c'], ['b', 'c'])).toEqual(['removed [0]'])
    expect(told([{ n: 1 }, { n: 3 }], [{ n: 1 }, { n: 2 }, { n: 3 }])).toEqual(['added [1]'])
  })

  it('are told of kinds that JSON does not have', () => {
    expect(told(new Map([['k', 1]]), new Map([['k', 2]]))).toEqual(['changed k'])
    expect(told({ at: new Date(1) }, { at: new Date(2) })).toEqual(['changed at'])
    expect(told({ at: new Date(1) }, { at: new Date(1) })).toEqual([])
    expect(told({ n: -0 }, { n: 0 })).toEqual(['changed n'])
    expect(told(new Uint8Array([1]), new Uint8Array([2]))).toEqual(['changed '])
    expect(told(new Set([1]), new Set([1]))).toEqual([])
    // eslint-disable-next-line no-sparse-arrays
    expect(told([, 1], [2, 1])).toEqual(['changed [0]'])
  })

  it('are told of keys that have the names of what every object has', () => {
    const odd = (value: number): unknown =>
      JSON.parse(`{"__proto__": ${value}, "constructor": 1, "hasOwnProperty": 2}`)
    expect(told(odd(1), odd(2))).toEqual(['changed __proto__'])
    expect(told({}, odd(1))).toEqual(['added __proto__', 'added constructor', 'added hasOwnProperty'])
  })

  it('come to an end where values hold themselves', () => {
    const circle = (n: number): object => {
      const value: Record<string, unknown> = { n, list: [] }
      value['self'] = value
      value['list'] = [value, { value }]
      return value
    }
    expect(told(circle(1), circle(1))).toEqual([])
    expect(told(circle(1), circle(2))).toContain('changed n')
  })

  it('come to an end where the same is held very many times', () => {
    const tower = (n: number): unknown => {
      let value: unknown = { n }
      for (let i = 0; i < 60; i++) value = { left: value, right: value }
      return value
    }
    expect(same(tower(1), tower(1))).toBe(true)
    expect(same(tower(1), tower(2))).toBe(false)
    expect(told(tower(1), tower(2))).toHaveLength(1)
  })

  it('are none exactly when the two are the same', () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(told(a, structuredClone(a))).toEqual([])
        expect(told(a, b).length === 0).toBe(same(a, b))
      }),
    )
  })
})

describe('the changes of a text', () => {
  const [removed, added] = ['removed', 'added'] as const
  const side = (before: string, after: string, without: 'removed' | 'added'): string =>
    textDiff(before, after)
      .filter(({ kind }) => kind !== without)
      .map(({ text }) => text)
      .join('')

  it('are told word by word', () => {
    expect(textDiff('the old town', 'the new town')).toEqual([
      { kind: 'same', text: 'the ' },
      { kind: removed, text: 'old' },
      { kind: added, text: 'new' },
      { kind: 'same', text: ' town' },
    ])
  })

  it('are whole words where one was changed, and no more than what was added where it has grown', () => {
    expect(textDiff('to write it', 'to writing it').map(({ text }) => text)).toEqual([
      'to ',
      'write',
      'writing',
      ' it',
    ])
    expect(textDiff('Hello wor', 'Hello world')).toEqual([
      { kind: 'same', text: 'Hello wor' },
      { kind: added, text: 'ld' },
    ])
  })

  it('give both texts again, whatever they are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(side(a + b, a + c, added)).toBe(a + b)
        expect(side(a + b, a + c, removed)).toBe(a + c)
      }),
    )
  })

  it('do not take long for long texts', () => {
    const long = 'word '.repeat(200_000)
    expect(side(`${long}a${long}`, `${long}b${long}`, added)).toHaveLength(2_000_001)
    expect(textDiff('x'.repeat(1e6), 'y'.repeat(1e6))).toHaveLength(2)
  })

  it('leave characters whole', () => {
    expect(textDiff('a😀', 'a😁').map(({ text }) => text)).toEqual(['a', '😀', '😁'])
    expect(textDiff('\u{1F600}', '\u{1FA00}').map(({ text }) => text)).toEqual(['\u{1F600}', '\u{1FA00}'])
  })
})
