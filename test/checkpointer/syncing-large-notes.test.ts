import { expect, it, onTestFinished } from 'vitest'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

const limits = { valueBytes: 8704, keyBytes: 2048, commitBytes: 819_200, operations: 1000 }

async function device(name: string): Promise<Checkpointer> {
  const store = await openCheckpointer({ name, storage: memoryStorage({ limits }) })
  onTestFinished(() => store.close())
  return store
}

it('of a deleted thread is noted no more for many removals than for one', async () => {
  const [here, there] = [await device('here'), await device('there')]
  const thread = here.thread('t')
  await thread.save({ n: 0 })
  await here.sync(there)
  for (let n = 1; n <= 250; n++) {
    await thread.save({ n })
    await thread.prune({ keepLast: 1 })
  }
  await thread.delete()
  await here.thread('other').save({ n: 1 })
  const compared: number[] = []
  for (let times = 0; times < 3; times++) compared.push((await here.sync(there)).threads)
  expect(compared.at(-1)).toBe(0)
  expect((await there.thread('other').load())?.state).toEqual({ n: 1 })
  expect(await there.thread('t').load()).toBeUndefined()
})

it('a thread of which more is to be noted than the storage takes stops no other', async () => {
  const [here, there] = [await device('here'), await device('there')]
  await here.thread('other').save({ n: 1 })
  for (let i = 0; i < 100; i++) await here.thread('t', { namespace: `place ${i}` }).save({ n: i })
  const compared: number[] = []
  for (let times = 0; times < 3; times++) compared.push((await here.sync(there)).threads)
  expect(compared).toEqual([2, 2, 0])
  await here.thread('t', { namespace: 'place 7' }).save({ n: 70 })
  await here.sync(there)
  expect((await there.thread('t', { namespace: 'place 7' }).load())?.state).toEqual({ n: 70 })
  expect((await there.thread('other').load())?.state).toEqual({ n: 1 })
})
