import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import type { Storage } from '../../src/storage/storage.ts'
import { newFile, openFile } from '../storage/sqlite/node-file.ts'

interface State {
  readonly n: number
}

async function opened(name: string, storage: Storage): Promise<Checkpointer> {
  const store = await openCheckpointer({ name, storage })
  onTestFinished(() => store.close())
  return store
}

const save = async (store: Checkpointer, from: number, to: number): Promise<void> => {
  for (let n = from; n <= to; n++) await store.thread<State>('t').save({ n })
}

async function statesIn(store: Checkpointer): Promise<number[]> {
  const all: number[] = []
  for await (const { state } of store.thread<State>('t').history({ states: true })) all.push(state.n)
  return all.sort((a, b) => a - b)
}

function file(): string {
  const { path, remove } = newFile()
  onTestFinished(remove)
  return path
}

/** With the versions that its rows have. */
function copied(path: string): Storage {
  const copy = file()
  const database = new DatabaseSync(path)
  database.exec(`VACUUM INTO '${copy}'`)
  database.close()
  return openFile(copy)
}

it.each(['there', 'here'])(
  'a store that was put back to an earlier copy, and has gone on past where it was, gets again what it lost, and nothing is lost of the other; called from %s',
  async (from) => {
    const path = file()
    const [before, there] = [await opened('before', openFile(path)), await opened('there', memoryStorage())]
    await save(before, 1, 3)
    const sync = (here: Checkpointer) => (from === 'here' ? here.sync(there) : there.sync(here))
    await sync(before)
    await before.flush()
    const copy = copied(path)
    await save(before, 4, 6)
    await save(there, 7, 8)
    await sync(before)
    const here = await opened('here', copy)
    await save(here, 9, 16)
    await sync(here)
    for (const store of [here, there])
      expect(await statesIn(store)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1))
    expect((await here.thread('t').heads()).length).toBeGreaterThan(1)
    expect((await here.verify()).problems).toEqual([])
  },
)

it.each([
  ['there', 'there'],
  ['there', 'here'],
  ['here', 'there'],
  ['here', 'here'],
])(
  '… also when only one side had saved since, and it has gone on or not: %s, called from %s',
  async (who, from) => {
    for (const last of [8, 20]) {
      const path = file()
      const [before, there] = [await opened('before', openFile(path)), await opened('there', memoryStorage())]
      await save(before, 1, 3)
      const sync = (here: Checkpointer) => (from === 'here' ? here.sync(there) : there.sync(here))
      for (let times = 0; times < 2; times++) await sync(before)
      await before.flush()
      const copy = copied(path)
      await save(who === 'there' ? there : before, 4, 8)
      await sync(before)
      const here = await opened('here', copy)
      await save(here, 9, last)
      await sync(here)
      for (const store of [here, there])
        expect(await statesIn(store)).toEqual(Array.from({ length: last }, (_, i) => i + 1))
    }
  },
)

const put = (store: Checkpointer, taskId: string): Promise<void> =>
  store.thread('t').putWrites(1, taskId, [{ channel: 'c', value: taskId }])

const tasksIn = async (store: Checkpointer): Promise<unknown> =>
  (await store.thread('t').load(1))?.pendingWrites.map(({ taskId }) => taskId).sort()

it.each([
  ['there', 'its first'],
  ['here', 'its first'],
  ['there', 'more'],
  ['here', 'more'],
])(
  'a store that was put back gets again the pending writes that it lost; called from %s, %s',
  async (from, which) => {
    const path = file()
    const [before, there] = [await opened('before', openFile(path)), await opened('there', memoryStorage())]
    await save(before, 1, 1)
    const had = which === 'more' ? ['a'] : []
    for (const task of had) await put(before, task)
    const sync = (here: Checkpointer) => (from === 'here' ? here.sync(there) : there.sync(here))
    for (let times = 0; times < 2; times++) await sync(before)
    await before.flush()
    const copy = copied(path)
    await put(there, 'b')
    await sync(before)
    expect(await tasksIn(before)).toEqual([...had, 'b'])
    const here = await opened('here', copy)
    await sync(here)
    for (const store of [here, there]) expect(await tasksIn(store)).toEqual([...had, 'b'])
  },
)

it('a sync after one that has changed something finds that nothing is left to do, and the next asks for no thread', async () => {
  const [here, there] = [await opened('here', memoryStorage()), await opened('there', memoryStorage())]
  await save(here, 1, 3)
  await put(here, 'a')
  await here.sync(there)
  await put(there, 'b')
  expect((await here.sync(there)).threads).toBe(1)
  const compared: number[] = []
  for (let times = 0; times < 3; times++) compared.push((await here.sync(there)).threads)
  expect(compared).toEqual([1, 0, 0])
})
