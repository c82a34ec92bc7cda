import { expect, it, onTestFinished, vi } from 'vitest'
import { openCheckpointer, type Checkpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { offBy } from '../support/off-by.ts'

const HOUR = 3_600_000

async function device(name: string): Promise<Checkpointer> {
  const store = await openCheckpointer({ name, storage: memoryStorage() })
  onTestFinished(() => store.close())
  return store
}

const puts = (store: Checkpointer, value: string): Promise<void> =>
  store.thread('t').putWrites(1, 'task', [{ channel: 'c', value, index: -1 }])

const valueIn = async (store: Checkpointer): Promise<unknown> =>
  (await store.thread('t').load(1))?.pendingWrites.map(({ value }) => value)

it('what overwrites is never overwritten by what it was written over, whichever clock is ahead', async () => {
  const [here, there] = [await device('here'), await device('there')]
  await here.thread('t').save({})
  await offBy(HOUR, () => puts(here, 'old'))
  await here.sync(there)
  await puts(there, 'new')
  await there.sync(here)
  await here.sync(there)
  expect(await valueIn(here)).toEqual(['new'])
  expect(await valueIn(there)).toEqual(['new'])
})

it('… also when it came by a third, and by a file', async () => {
  const [here, there, edge] = [await device('here'), await device('there'), await device('edge')]
  await here.thread('t').save({})
  await offBy(HOUR, () => puts(here, 'old'))
  await here.sync(edge)
  await offBy(-HOUR, async () => {
    await there.import(here.export())
    await puts(there, 'new')
  })
  await offBy(2 * HOUR, () => there.sync(edge))
  await edge.sync(here)
  for (const store of [here, there, edge]) expect(await valueIn(store)).toEqual(['new'])
})

it('of two that were written without a sight of each other, all come to keep the same', async () => {
  const stores = [await device('here'), await device('there'), await device('edge')] as const
  const [here, there, edge] = stores
  await offBy(-HOUR, async () => void (await here.thread('t').save({})))
  await here.sync(there)
  await here.sync(edge)
  const now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now)
  for (const [i, store] of stores.entries()) await puts(store, `${i}`)
  clock.mockRestore()
  for (const [a, b] of [
    [here, there],
    [there, edge],
    [edge, here],
    [here, there],
  ] as const)
    await a.sync(b)
  const [first, ...others] = await Promise.all(stores.map(valueIn))
  for (const other of others) expect(other).toEqual(first)
})

it('an attempt that was made anew elsewhere is not forgotten for the one before it, nor its outcome', async () => {
  const [here, there] = [await device('here'), await device('there')]
  let done = 0
  const pay = (): string => {
    if (++done === 1) throw new Error('no money')
    return 'paid'
  }
  const loop = async ({ step }: Loop<object>): Promise<void> => {
    await step('pay', pay, { effect: 'external' })
    throw new Error('no time')
  }
  const run = (store: Checkpointer, why: string): Promise<void> =>
    expect(store.thread<object>('t').run({ runId: 'r', initial: {}, retry: true }, loop)).rejects.toThrow(why)
  await offBy(HOUR, () => run(here, 'no money'))
  await here.sync(there)
  await run(there, 'no time')
  for (let times = 0; times < 2; times++) await here.sync(there)
  await run(here, 'no time')
  await run(there, 'no time')
  expect(done).toBe(2)
})
