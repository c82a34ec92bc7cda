import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import type { LossRecord } from '../../src/operations/host.ts'
import { acknowledgeLosses, lossProblems, recordLoss } from '../../src/operations/lost.ts'

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

it('keeps losses until they are acknowledged, that of one database once', async () => {
  const store = { storage: memoryStorage() }
  expect(await lossProblems(store)).toEqual([])
  await recordLoss(store, lossOf(1, 'here', 'a'))
  await recordLoss(store, lossOf(2, 'here', 'a', 'b'))
  await recordLoss(store, lossOf(3, 'other', 'a', 'b'))
  await recordLoss(store, lossOf(4, 'other', 'a', 'b'))
  const problems = [
    { thread: 'a', problem: 'here at 1' },
    { problem: 'here at 2' },
    { problem: 'other at 4' },
  ]
  expect(await lossProblems(store)).toEqual(problems)
  expect(await acknowledgeLosses(store)).toEqual(problems)
  expect(await lossProblems(store)).toEqual([])
})
