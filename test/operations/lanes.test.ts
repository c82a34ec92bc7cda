import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  borrow,
  includes,
  laneOf,
  newLane,
  shows,
  stretches,
  withSeqs,
  type Ranges,
  type Segment,
} from '../../src/operations/rows/lanes.ts'

const END = Number.MAX_SAFE_INTEGER - 1
/** A fork of a fork, of which two rows are hidden. */
const segments: readonly Segment[] = [
  { lane: 'a', to: 12, hide: [[3, 4]] },
  { lane: 'b', to: 15 },
  { lane: 'c' },
]

describe('stretches', () => {
  it('gives each segment the bounds that it has in its thread', () => {
    expect(stretches([{ lane: 'a' }])).toEqual([{ lane: 'a', from: 0, last: END }])
    expect(stretches(segments).map(({ lane, from, last }) => [lane, from, last])).toEqual([
      ['a', 0, 12],
      ['b', 13, 15],
      ['c', 16, END],
    ])
  })
})

describe('laneOf', () => {
  it.each([
    [0, 'a'],
    [12, 'a'],
    [13, 'b'],
    [15, 'b'],
    [16, 'c'],
    [END, 'c'],
  ])('seq %i stands in %s', (seq, lane) => expect(laneOf(segments, seq).lane).toBe(lane))

  it('is that of a hidden row too', () => expect(laneOf(segments, 3).lane).toBe('a'))
})

describe('shows', () => {
  it.each([
    ['a', 2, true],
    ['a', 3, false],
    ['a', 4, false],
    ['a', 5, true],
    ['a', 12, true],
    ['a', 13, false],
    ['b', 12, false],
    ['b', 13, true],
    ['b', 16, false],
    ['c', 16, true],
    ['d', 1, false],
  ])('lane %s, seq %i: %s', (lane, seq, shown) => expect(shows(segments, lane, seq)).toBe(shown))
})

describe('withSeqs', () => {
  it.each<[Ranges | undefined, number[], Ranges]>([
    [undefined, [], []],
    [undefined, [5], [[5, 5]]],
    [
      undefined,
      [7, 5, 6, 1],
      [
        [1, 1],
        [5, 7],
      ],
    ],
    [[[1, 3]], [4], [[1, 4]]],
    [
      [[1, 3]],
      [5],
      [
        [1, 3],
        [5, 5],
      ],
    ],
    [
      [
        [1, 3],
        [5, 9],
      ],
      [4],
      [[1, 9]],
    ],
    [[[1, 9]], [4, 9, 1], [[1, 9]]],
    [
      [[4, 5]],
      [3, 0],
      [
        [0, 0],
        [3, 5],
      ],
    ],
  ])('%j with %j', (ranges, seqs, expected) => expect(withSeqs(ranges, seqs)).toEqual(expected))

  it('leaves what it was given alone', () => {
    const ranges: Ranges = Object.freeze([Object.freeze([1, 3] as const)])
    withSeqs(ranges, [4])
    expect(ranges).toEqual([[1, 3]])
  })

  it('holds just these seqs, in ranges that ascend and do not touch', () => {
    const seqs = fc.array(fc.nat(30))
    fc.assert(
      fc.property(seqs, seqs, (first, second) => {
        const ranges = withSeqs(withSeqs(undefined, first), second)
        const wanted = new Set([...first, ...second])
        for (let seq = 0; seq <= 31; seq++) expect(includes(ranges, seq)).toBe(wanted.has(seq))
        for (const [i, [from, to]] of ranges.entries()) {
          expect(from).toBeLessThanOrEqual(to)
          if (i > 0) expect(from).toBeGreaterThan((ranges[i - 1]?.[1] ?? 0) + 1)
        }
      }),
    )
  })
})

describe('includes', () => {
  it('has both ends of a range, and nothing where there is none', () => {
    const ranges: Ranges = [
      [2, 4],
      [8, 8],
    ]
    expect([1, 2, 3, 4, 5, 7, 8, 9].filter((seq) => includes(ranges, seq))).toEqual([2, 3, 4, 8])
    expect(includes(undefined, 0)).toBe(false)
    expect(includes([], 0)).toBe(false)
  })
})

describe('borrow', () => {
  it('takes the lane up to the fork point, and continues in its own', () => {
    expect(borrow([{ lane: 'a' }], 12, 'b')).toEqual([{ lane: 'a', to: 12 }, { lane: 'b' }])
  })

  it('takes no segment that begins after the fork point', () => {
    expect(borrow(segments, 12, 'd')).toEqual([{ lane: 'a', to: 12, hide: [[3, 4]] }, { lane: 'd' }])
    expect(borrow(segments, 13, 'd')).toEqual([
      { lane: 'a', to: 12, hide: [[3, 4]] },
      { lane: 'b', to: 13 },
      { lane: 'd' },
    ])
  })

  it('hides what was hidden, no further than the fork point', () => {
    const origin: Segment[] = [{ lane: 'a', hide: [[1, 2], [5, 9], [12, 14]] }] // prettier-ignore
    expect(borrow(origin, 7, 'b')[0]).toEqual({ lane: 'a', to: 7, hide: [[1, 2], [5, 7]] }) // prettier-ignore
    expect(borrow([{ lane: 'a', hide: [[5, 9]] }], 4, 'b')[0]).toEqual({ lane: 'a', to: 4 })
  })

  it('shows just what the origin shows up to the fork point, of whatever forks of forks', () => {
    const steps = fc.array(fc.record({ at: fc.nat(20), hide: fc.array(fc.nat(20), { maxLength: 4 }) }), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(steps, (forks) => {
        let origin: readonly Segment[] = [{ lane: 'lane' }]
        for (const [i, { at, hide }] of forks.entries()) {
          const gone = origin.map((segment) => ({ ...segment, hide: withSeqs(segment.hide, hide) }))
          const fork = borrow(gone, at, `lane${i}`)
          for (let seq = 0; seq <= 21; seq++) {
            for (const { lane } of fork) {
              const expected = seq <= at ? shows(gone, lane, seq) : lane === `lane${i}`
              expect(shows(fork, lane, seq)).toBe(expected)
            }
          }
          origin = fork
        }
      }),
    )
  })
})

describe('newLane', () => {
  it('is new each time, and fit to be part of a key', () => {
    const lanes = Array.from({ length: 1000 }, newLane)
    expect(new Set(lanes).size).toBe(1000)
    for (const lane of lanes) expect(lane).toMatch(/^[0-9a-z]{9}$/)
  })
})
