import { expect } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import type { Row, Storage, Table } from '../../../storage/storage.ts'
import { HEARS_OF_LOSSES, made, onRows } from './rows.ts'
import { bytesOf } from '../furnished.ts'
import { listOf, range, seqsOf, talk, type Fresh, type Talk } from '../ground.ts'
import { change, putHead, rowsIn, type Facts } from '../stored-rows.ts'

type Case = readonly [table: Table, wanted: (row: Row) => boolean, changed: (facts: Facts) => unknown]

const isFork = ({ key }: Row): boolean => key[0] === 'fork'
const isFifth = ({ key }: Row): boolean => key[1] === 5

/** Each by itself: what holds nothing, and what leads nowhere. */
const CASES: readonly Case[] = [
  ['threads', isFork, () => ({})],
  ['threads', isFork, () => null],
  ['threads', isFork, (facts) => ({ ...facts, segments: [] })],
  ['threads', isFork, (facts) => ({ ...facts, head: { seq: 5 } })],
  ['checkpoints', isFifth, (facts) => ({ ...facts, frame: { ...(facts['frame'] as Facts), base: null } })],
  ['checkpoints', isFifth, (facts) => ({ ...facts, frame: { ...(facts['frame'] as Facts), parts: 7 } })],
  ['checkpoints', isFifth, (facts) => ({ ...facts, extra: 7 })],
  ['writes', () => true, () => null],
  ['meta', ({ key }) => key[0] === 'lane', () => ({})],
  ['meta', ({ key }) => key[0] === 'family', () => []],
]

/** Rows whose sum fits and whose facts are none: a sum is no signature. */
export function misshapenLaws(fresh: Fresh): void {
  const law = onRows(fresh)

  law(
    'a row that holds what none of ours would is told, and takes nothing else with it',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await checkpointer.close()
      for (const [table, wanted, changed] of CASES) {
        const before = (await rowsIn(storage, table)).filter(wanted)
        await change(storage, table, wanted, changed)
        const reader = await ground.open(HEARS_OF_LOSSES)
        await expectTheRest(reader, storage)
        const { problems } = await reader.verify()
        expect(problems).toContainEqual(expect.objectContaining({ kind: 'damaged', table }))
        expect((await reader.verify({ repair: 'plan' })).acts).not.toEqual([])
        await reader.close()
        for (const row of before) await putHead(storage, table, row, row.head)
      }
    },
  )

  law('and is set aside by a repair, with all that needs it alone', async (checkpointer, storage, ground) => {
    await made(checkpointer)
    await checkpointer.close()
    for (const [table, wanted, changed] of [CASES[0], CASES[4], CASES[7], CASES[9]] as readonly Case[])
      await change(storage, table, wanted, changed)
    const reader = await ground.open(HEARS_OF_LOSSES)
    await reader.verify({ repair: true })
    expect((await reader.verify()).problems).toEqual([])
    await expectTheRest(reader, storage)
    const a = reader.thread<Talk>('a')
    expect((await a.save(talk(9))).seq).toBe(9)
    expect((await reader.thread<Talk>('fork').load(4))?.state).toEqual(talk(4))
    expect(await a.delete()).toBe(true)
    expect((await reader.verify()).problems).toEqual([])
  })

  law(
    'a thread whose row has forgotten its head is told, and shows it again once it is mended',
    async (checkpointer, storage, ground) => {
      const thread = checkpointer.thread<Talk>('a')
      await thread.save(talk(1))
      await thread.fork({ as: 'fork' })
      await checkpointer.close()
      await change(storage, 'threads', isFork, ({ head: _forgotten, ...facts }) => facts)
      const reader = await ground.open(HEARS_OF_LOSSES)
      const { problems } = await reader.verify()
      expect(problems).toContainEqual(expect.objectContaining({ kind: 'head', thread: 'fork' }))
      await reader.verify({ repair: true })
      expect((await reader.thread('fork').load())?.state).toEqual(talk(1))
      expect((await reader.verify()).problems).toEqual([])
    },
  )
}

async function expectTheRest(reader: Checkpointer, storage: Storage): Promise<void> {
  const a = reader.thread<Talk>('a')
  for (const seq of range(1, 4)) expect((await a.load(seq))?.state).toEqual(talk(seq))
  expect((await seqsOf(a.history({ order: 'oldest', before: 5 }))).slice(0, 4)).toEqual(range(1, 4))
  expect((await listOf(reader.threads())).map(({ id }) => id)).toContain('a')
  expect(await listOf(reader.runs())).toEqual([])
  expect((await reader.usage()).threads).toBe((await rowsIn(storage, 'threads')).length)
  expect((await bytesOf(reader.export(undefined, { onDamage: 'skip' }))).length).toBeGreaterThan(1000)
}
