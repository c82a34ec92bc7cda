import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import type { LossRecord } from '../../src/operations/host.ts'
import { recordLoss } from '../../src/operations/lost.ts'

const side = (database: string) => ({ database, threads: 1 })
const lossOf = (at: number, expected: string, ...threads: string[]): LossRecord => ({
  at,
  message: `${expected} at ${at}`,
  loss: {
    expected: side(expected),
    found: side('here'),
    heads: threads.map((thread) => ({ thread, namespace: '', expected: 1 })),
  },
})

it('keeps losses until a repair acknowledges them, that of one database once', async () => {
  const storage = memoryStorage()
  const store = { storage }
  const checkpointer = await openCheckpointer({ name: 'lost', storage })
  expect((await checkpointer.verify()).problems).toEqual([])
  await recordLoss(store, lossOf(1, 'here', 'a'))
  await recordLoss(store, lossOf(2, 'here', 'a', 'b'))
  await recordLoss(store, lossOf(3, 'other', 'a', 'b'))
  await recordLoss(store, lossOf(4, 'other', 'a', 'b'))
  const problems = [
    { kind: 'loss', table: 'meta', thread: 'a', problem: 'here at 1' },
    { kind: 'loss', table: 'meta', problem: 'here at 2' },
    { kind: 'loss', table: 'meta', problem: 'other at 4' },
  ]
  expect((await checkpointer.verify()).problems).toEqual(problems)
  const { acts } = await checkpointer.verify({ repair: true })
  expect(acts.map(({ act }) => act)).toEqual(['accepted', 'accepted', 'accepted'])
  expect((await checkpointer.verify()).problems).toEqual([])
})
