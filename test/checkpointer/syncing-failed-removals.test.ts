import { expect, it, onTestFinished } from 'vitest'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

interface State {
  readonly n: number
}

/** A store that keeps few, one that keeps all, and a switch by which removals fail in the first. */
async function two(): Promise<{ here: Checkpointer; there: Checkpointer; failing: { on: boolean } }> {
  const failing = { on: false }
  const storage = memoryStorage()
  const commit = storage.commit.bind(storage)
  storage.commit = async (partition, batch) => {
    const { deletes = [], deleteRanges = [] } = batch
    const isRemoval = partition !== '' && deletes.length + deleteRanges.length > 0
    if (failing.on && isRemoval) throw new Error('no')
    return commit(partition, batch)
  }
  const here = await openCheckpointer({ name: 'here', storage, retention: { keepLast: 2 } })
  const there = await openCheckpointer({ name: 'there', storage: memoryStorage() })
  onTestFinished(() => Promise.all([here.close(), there.close()]).then(() => {}))
  return { here, there, failing }
}

const save = async (store: Checkpointer, from: number, to: number): Promise<void> => {
  for (let n = from; n <= to; n++) await store.thread<State>('t').save({ n })
}

it.each(['a prune', 'a deletion of one', 'a deletion of all'])(
  '%s that fails is told to nobody, also when the rows go later to save room',
  async (what) => {
    const { here, there, failing } = await two()
    const thread = here.thread<State>('t')
    await save(here, 1, 3)
    await here.sync(there)
    failing.on = true
    const removing =
      what === 'a prune'
        ? thread.prune({ keepLast: 1 })
        : what === 'a deletion of one'
          ? thread.deleteCheckpoints([1])
          : thread.delete()
    await expect(removing).rejects.toMatchObject({ code: 'FAILED' })
    failing.on = false
    await save(here, 4, 30)
    await expect.poll(() => thread.load(1)).toBeUndefined()
    await here.sync(there)
    await there.sync(here)
    for (const n of [1, 2, 3]) expect((await there.thread('t').load(n))?.state).toEqual({ n })
  },
)

it('what retention let go is not told for a deletion that fails', async () => {
  const { here, there, failing } = await two()
  await save(there, 1, 3)
  await here.sync(there)
  await save(here, 4, 30)
  await expect.poll(() => here.thread('t').load(1)).toBeUndefined()
  failing.on = true
  await expect(here.thread('t').delete()).rejects.toMatchObject({ code: 'FAILED' })
  failing.on = false
  await here.sync(there)
  for (const n of [1, 2, 3]) expect((await there.thread('t').load(n))?.state).toEqual({ n })
  await here.thread('t').delete()
  await here.sync(there)
  expect(await there.thread('t').load()).toBeUndefined()
  await save(here, 31, 32)
  await there.sync(here)
  expect((await there.thread('t').load())?.state).toEqual({ n: 32 })
})
