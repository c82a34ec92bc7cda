import { describe, expect, it } from 'vitest'
import type { CheckpointInfo, ThreadSummary } from 'forkpoint'
import { lanesOf, MOST_LANES, widthOf } from '../../src/inspector/graph/lanes.ts'
import { keyOf, othersOf, rowsOf } from '../../src/inspector/graph/rows.ts'

const place = { thread: 't', namespace: '' }

const info = (seq: number, parent?: number): CheckpointInfo => ({
  ...place,
  seq,
  id: `id-${seq}`,
  createdAt: new Date(0),
  ...(parent !== undefined && { parentId: `id-${parent}` }),
})

const fork = (id: string, of: string, seq: number): ThreadSummary => ({
  id,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  forkOf: { thread: of, namespace: '', seq, id: `id-${seq}` },
})

describe('the rows of a graph', () => {
  it('has each fork above the checkpoint that it goes on from, and the origin too', () => {
    const history = [info(3, 2), info(2, 1), info(1)]
    const threads = [fork('a', 't', 2), fork('b', 't', 3), fork('t', 'origin', 1), fork('else', 'other', 2)]
    expect(rowsOf(history, othersOf(place, threads)).map(keyOf)).toEqual([
      'fork b',
      '#3',
      'fork a',
      '#2',
      'origin origin',
      '#1',
    ])
  })

  it('shows a fork whose checkpoint was pruned where it was', () => {
    const rows = rowsOf([info(5, 4), info(1)], othersOf(place, [fork('a', 't', 3), fork('b', 't', 0)]))
    expect(rows.map(keyOf)).toEqual(['#5', 'fork a', '#1', 'fork b'])
    expect(lanesOf(rows).map(({ down }) => down)).toEqual(['gone', 'gone', 'none', 'gone'])
  })
})

describe('the lanes of a graph', () => {
  const lanes = (...history: CheckpointInfo[]) => lanesOf(rowsOf(history, []))

  it('are one for a line', () => {
    const line = lanes(info(3, 2), info(2, 1), info(1))
    expect(line.map(({ lane, fromAbove, down }) => [lane, fromAbove, down])).toEqual([
      [0, false, 'line'],
      [0, true, 'line'],
      [0, true, 'none'],
    ])
  })

  it('are one for each branch, which ends where it began', () => {
    const [tip, side, root] = lanes(info(3, 1), info(2, 1), info(1))
    expect(tip).toMatchObject({ lane: 0, passes: [] })
    expect(side).toMatchObject({ lane: 1, fromAbove: false, passes: [0] })
    expect(root).toMatchObject({ lane: 0, fromAbove: true, joins: [1], down: 'none' })
  })

  it('are used again when a branch has ended', () => {
    const all = lanes(info(5, 4), info(4, 3), info(3, 1), info(2, 1), info(1))
    expect(widthOf(all)).toBe(2)
  })

  it('keep each branch on its own lane for as long as it goes on', () => {
    const all = lanes(info(6, 5), info(5, 1), info(4, 3), info(3, 2), info(2, 1), info(1))
    expect(all.map(({ lane }) => lane)).toEqual([0, 0, 1, 1, 1, 0])
    expect(all.map(({ passes }) => passes)).toEqual([[], [], [0], [0], [0], []])
  })

  it('are no more than can be told apart, however many branches there are', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => info(1_001 - i, 1))
    const all = lanes(...many, info(1))
    expect(widthOf(all)).toBe(MOST_LANES)
    expect(Math.max(...all.map(({ passes, joins }) => passes.length + joins.length))).toBeLessThanOrEqual(
      MOST_LANES,
    )
  })
})
