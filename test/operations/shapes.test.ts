import { beforeAll, describe, expect, it } from 'vitest'
import { kindOf, resealed, wholeDatabase, withRow, type Whole } from '../faults/support/fuzz-rows.ts'
import { factsOf, type StoredRow } from '../faults/support/rows.ts'

/** Rows are not believed: a sum that fits says that nothing was damaged, not that it was us who wrote it. */
type Facts = Record<string, unknown>

let whole: Whole
beforeAll(async () => {
  whole = await wholeDatabase()
})

const without = (name: string) => (facts: Facts) => ({ ...facts, [name]: undefined })
const withOne = (more: Facts) => (facts: Facts) => ({ ...facts, ...more })
const inHead = (more: Facts) => (facts: Facts) => ({
  ...facts,
  head: { ...(facts['head'] as Facts), ...more },
})
const inFrame = (more: Facts) => (facts: Facts) => ({
  ...facts,
  frame: { ...(facts['frame'] as Facts), ...more },
})

const rowOf = (kind: string, has: (facts: Facts) => boolean = () => true): StoredRow => {
  const found = whole.rows.find((row) => kindOf(row) === kind && has(factsOf(row)))
  if (!found) throw new Error(`There is no such row of ${kind}.`)
  return found
}

type Case = readonly [kind: string, what: string, change: (facts: Facts) => unknown]

const misshapen: readonly Case[] = [
  ...[
    'threads',
    'checkpoints',
    'parts',
    'writes',
    'family',
    'lane',
    'lease',
    'lease-beat',
    'deleted',
  ].flatMap(shapeless),
  ...['flush', 'database', 'losses', 'import', 'gone', 'synced', 'quarantine'].flatMap(shapeless),
  ['threads', 'no lanes', withOne({ segments: [] })],
  ['threads', 'lanes that are none', withOne({ segments: 7 })],
  ['threads', 'a lane of a number', withOne({ lane: 7, segments: [{ lane: 7 }] })],
  ['threads', 'a lane that no key could hold', withOne({ lane: 'ü', segments: [{ lane: 'ü' }] })],
  ['threads', 'a last lane that is not its own', withOne({ lane: 'other' })],
  [
    'threads',
    'hidden rows that are no ranges',
    (facts) => ({ ...facts, segments: [{ lane: facts['lane'], hide: 7 }] }),
  ],
  ['threads', 'an own lane that ends', (facts) => ({ ...facts, segments: [{ lane: facts['lane'], to: 3 }] })],
  ['threads', 'another thread’s facts', withOne({ thread: 'another' })],
  ['threads', 'a thread of a number', withOne({ thread: 7 })],
  ['threads', 'no next seq', without('next')],
  ['threads', 'a next seq that ends counting', withOne({ next: Number.MAX_SAFE_INTEGER })],
  ['threads', 'a head of nothing but a seq', withOne({ head: { seq: 4 } })],
  ['threads', 'a head whose frame has no root', inHead({ frame: {} })],
  ['threads', 'a head with extra of a number', inHead({ extra: 7 })],
  ['threads', 'heads beside it that are none', withOne({ tips: [{}] })],
  ['threads', 'a run that is none', withOne({ run: 'running' })],
  [
    'threads',
    'a run in a state that there is not',
    withOne({ run: { id: 'r', status: 'lost', turn: 't', began: 0, at: 0 } }),
  ],
  ['threads', 'rules that are none', withOne({ retention: true })],
  ['threads', 'a count of writes that is none', withOne({ writes: -1 })],
  ['threads', 'a time that is no date', withOne({ updatedAt: 1e300 })],
  ['checkpoints', 'a base of nothing', inFrame({ base: null })],
  ['checkpoints', 'a base of one part', inFrame({ base: ['a'] })],
  ['checkpoints', 'parts of a number', inFrame({ parts: 7 })],
  ['checkpoints', 'parts of an owner that no key could hold', inFrame({ parts: ['a/b~', 1] })],
  ['checkpoints', 'a root below nothing', inFrame({ root: -1 })],
  ['checkpoints', 'a size of a text', inFrame({ size: '5' })],
  ['checkpoints', 'extra of a number', withOne({ extra: 7 })],
  ['checkpoints', 'extra without names', withOne({ extra: [[7, 7]] })],
  ['checkpoints', 'a parent without an id', withOne({ parent: { seq: 1 } })],
  ['checkpoints', 'the seq of another', withOne({ seq: 99 })],
  ['checkpoints', 'next nodes of a text', withOne({ next: 'a' })],
  ['writes', 'the task of another', withOne({ taskId: 'another' })],
  ['writes', 'an index of a text', withOne({ index: '0' })],
  ['writes', 'parts of a text', withOne({ parts: 'parts' })],
  ['writes', 'no time', without('at')],
  ['parts', 'a time of a text', withOne({ at: 'now' })],
  ['family', 'lanes to sweep that are none', withOne({ sweep: 'all' })],
  ['lane', 'no thread', without('thread')],
  ['lane', 'lanes that do not lead to it', withOne({ segments: [{ lane: 'other' }] })],
  ['lease', 'a token of a text', withOne({ token: 'x' })],
  ['database', 'an id of a number', withOne({ id: 7 })],
  ['losses', 'a loss without heads', withOne({ loss: {} })],
  ['quarantine', 'a table that there is not', withOne({ table: 'other' })],
  ['synced', 'places that are none', withOne({ places: [{}] })],
]

function shapeless(kind: string): readonly Case[] {
  const shapes: readonly Case[] = [
    [kind, 'null', () => null],
    [kind, 'a list', () => []],
    [kind, 'a text', () => 'facts'],
  ]
  const mayBeEmpty = ['family', 'lease-beat', 'gone'].includes(kind)
  return mayBeEmpty ? shapes : [...shapes, [kind, 'an object with nothing in it', () => ({})]]
}

describe('a row whose sum fits is found, set aside, and blocks nothing: of', () => {
  it.each(misshapen)('%s, with %s', async (kind, _, change) => {
    const row = rowOf(kind)
    const problems = await withRow(whole, row, resealed(row, change(factsOf(row))))
    const about = kind === kindOf({ ...row, table: 'meta' }) ? 'meta' : row.table
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'damaged', table: about }))
  })

  it('gone, with a body that is no list of saves', async () => {
    const row = rowOf('gone')
    for (const body of ['7', '[7]', '[["a"]]', '[["a",7]]', '{'])
      expect(
        await withRow(whole, row, resealed(row, factsOf(row), new TextEncoder().encode(body))),
      ).toContainEqual(expect.objectContaining({ kind: 'damaged', table: 'meta' }))
  })
})

it('of a thread that was about to be seen, as what is left of its import is', async () => {
  const started = rowOf('import')
  const { head } = resealed(started, { ...factsOf(started), state: 'publishing' })
  const rows = whole.rows.map((row) => (row === started ? { ...row, head } : row))
  const row = rowOf('staged')
  for (const facts of [null, {}, { ...factsOf(row), segments: 7 }]) {
    const problems = await withRow({ ...whole, rows }, row, resealed(row, facts))
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'damaged', table: 'meta' }))
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: 'orphaned', table: 'checkpoints', seq: 1 }),
    )
  }
})

describe('what it says is not believed either, and takes no time without end:', () => {
  const far = 2 ** 45

  it('a next seq that nothing has led to', async () => {
    const row = rowOf('threads', ({ thread }) => thread === 'kinds')
    expect(await withRow(whole, row, resealed(row, { ...factsOf(row), next: far }))).toContainEqual(
      expect.objectContaining({ kind: 'missing', thread: 'kinds', seq: 4 }),
    )
  })

  it('lanes of which nearly nothing is there', async () => {
    const row = rowOf('threads', ({ thread }) => thread === 'heir')
    const facts = factsOf(row)
    const [first, own] = facts['segments'] as Facts[]
    const changed = { ...facts, next: far + 2, segments: [{ ...first, to: far }, own] }
    expect(await withRow(whole, row, resealed(row, changed))).toContainEqual(
      expect.objectContaining({ kind: 'missing', thread: 'heir' }),
    )
  })

  it('what a lane was made for', async () => {
    const row = rowOf('lane', ({ thread }) => thread === 'heir')
    const facts = factsOf(row)
    const [first, own] = facts['segments'] as Facts[]
    await withRow(whole, row, resealed(row, { ...facts, segments: [{ ...first, to: far }, own] }))
  })
})

it('facts that a later version has written beside are no fault', async () => {
  for (const kind of new Set(whole.rows.map(kindOf))) {
    const row = rowOf(kind)
    expect(await withRow(whole, row, resealed(row, { ...factsOf(row), later: { n: 1 } }))).toEqual([
      expect.objectContaining({ kind: 'loss' }),
    ])
  }
})
