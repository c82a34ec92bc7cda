import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

it('what the other store has no room for in a row keeps no other thread from coming over, nor a removal', async () => {
  const mine = await openCheckpointer({ name: 'mine', storage: memoryStorage() })
  const limits = { valueBytes: 60_000, commitBytes: 100_000, operations: 50 }
  const edge = await openCheckpointer({ name: 'edge', storage: memoryStorage({ limits }) })
  onTestFinished(async () => {
    await mine.close()
    await edge.close()
  })
  await mine.thread('gone').save({ n: 0 })
  await mine.thread('first').save({ n: 1 })
  await mine.sync(edge)
  await mine.thread('wide').save({ n: 1 })
  await mine.thread('wide').save({ n: 2 }, { extra: { a: 'x'.repeat(200_000) } })
  await mine.thread('last').save({ n: 1 })
  await mine.thread('gone').delete()
  for (let again = 0; again < 2; again++) {
    const { damaged } = await mine.sync(edge)
    expect(damaged).toBe(1)
    expect((await edge.thread('last').load())?.state).toEqual({ n: 1 })
    expect((await edge.thread('wide').load())?.state).toEqual({ n: 1 })
    expect(await edge.thread('gone').load()).toBeUndefined()
  }
  await mine.thread('wide').save({ n: 3 })
  await mine.thread('wide').save({ n: 4 })
  expect((await mine.sync(edge)).damaged).toBe(1)
  expect((await edge.thread('wide').load())?.state).toEqual({ n: 4 })
  expect((await edge.verify()).problems).toEqual([])
})
