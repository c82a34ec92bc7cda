import { expect, it, onTestFinished, vi } from 'vitest'
import { CheckpointerError, openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage, type MemoryStorageOptions } from 'forkpoint/storage/memory'
import { createHost } from '../../src/operations/create-host.ts'
import { mapHost, type Verb } from '../../src/operations/verbs.ts'
import type { Batch, Storage } from '../../src/storage/storage.ts'

interface State {
  readonly n: number
}

interface Device {
  readonly store: Checkpointer
  /** The same, as others reach it: with `before` each verb. */
  readonly far: Checkpointer
  readonly before: { verb?: (verb: Verb, request: unknown) => Promise<void> }
  readonly storage: Storage
}

async function device(storage: Storage = memoryStorage(), warn = vi.fn()): Promise<Device> {
  const host = await createHost({ storage, onWarning: warn })
  const before: Device['before'] = {}
  const reached = mapHost(host, (run, verb) => async (request) => {
    if (verb === 'close') return undefined
    await before.verb?.(verb, request)
    return run(request)
  })
  const store = await openCheckpointer({ name: 'here', host })
  const far = await openCheckpointer({ name: 'far', host: reached })
  onTestFinished(async () => {
    await far.close()
    await store.close()
  })
  return { store, far, before, storage }
}

const thread = (store: Checkpointer) => store.thread<State>('t')

async function save({ store }: Device, ...all: readonly number[]): Promise<void> {
  for (const n of all) await thread(store).save({ n })
}

async function shown({ store }: Device): Promise<number[]> {
  const all: number[] = []
  for await (const { state } of thread(store).history({ order: 'oldest', states: true })) all.push(state.n)
  return all.sort((a, b) => a - b)
}

async function clean(...devices: readonly Device[]): Promise<void> {
  for (const { store } of devices) expect((await store.verify()).problems).toEqual([])
}

/** Once, when a storage is about to write down what was removed. */
function whenWrittenDown(storage: Storage, work: (nth: number) => Promise<void>): void {
  const commit = storage.commit.bind(storage)
  let nth = 0
  storage.commit = async (partition: string, batch: Batch) => {
    if (partition === '' && batch.puts?.some(({ key }) => key[0] === 'gone')) await work(++nth)
    return commit(partition, batch)
  }
}

it('what was deleted stays deleted, when another brings it back in the moment in which it is told', async () => {
  const [a, b, c] = [await device(), await device(), await device()]
  await save(a, 1, 2, 3)
  // The one that brings it back has it by another way, and compares all.
  await a.store.sync(c.far)
  await a.store.sync(b.far)
  await thread(a.store).deleteCheckpoints([2])
  whenWrittenDown(b.storage, async (nth) => {
    if (nth === 1) await c.store.sync(b.far)
  })
  for (let round = 0; round < 3; round++) {
    await a.store.sync(b.far)
    await c.store.sync(b.far)
  }
  for (const each of [a, b, c]) expect(await shown(each)).toEqual([1, 3])
  await clean(a, b, c)
})

it('all of a thread goes over that was begun anew while it was brought together', async () => {
  const [a, b] = [await device(), await device()]
  await save(a, 1, 2, 3)
  await a.store.sync(b.far)
  await a.store.sync(b.far)
  await save(b, 4, 5, 6)
  let isDone = false
  a.before.verb = async (verb, request) => {
    if (isDone || verb !== 'syncWant' || !(request as { withPlace?: boolean }).withPlace) return
    isDone = true
    await thread(a.store).delete()
    await save(a, 101, 102, 103, 104, 105, 106, 107, 108)
  }
  await a.far.sync(b.store)
  for (let round = 0; round < 3; round++) await a.far.sync(b.store)
  expect(isDone).toBe(true)
  const all = await shown(a)
  for (const n of [101, 104, 105, 106, 108]) expect(all).toContain(n)
  expect(await shown(b)).toEqual(all)
  await clean(a, b)
})

it.each(['syncWant', 'syncHave', 'syncGive'] as const)(
  'a deletion holds of a thread that was begun anew before the %s of a sync',
  async (at) => {
    const [a, b] = [await device(), await device()]
    await save(a, 1, 2, 3)
    let isDone = false
    a.before.verb = async (verb) => {
      if (isDone || verb !== at) return
      isDone = true
      await thread(a.store).delete()
      await save(a, 101, 102, 103, 104)
    }
    await a.far.sync(b.store)
    expect(isDone).toBe(true)
    await thread(a.store).delete()
    for (let round = 0; round < 3; round++) await a.far.sync(b.store)
    expect([await shown(a), await shown(b)]).toEqual([[], []])
    await clean(a, b)
  },
)

const SMALL: MemoryStorageOptions = {
  limits: { operations: 40, valueBytes: 60_000, commitBytes: 700_000 },
}

async function withManyWrites(): Promise<Device> {
  const made = await device(memoryStorage(SMALL))
  await save(made, 1)
  for (let i = 0; i < 60; i++)
    await thread(made.store).putWrites(1, `task ${i}`, [
      { channel: 'c', value: i % 9 ? i : 'x'.repeat(40_000) },
    ])
  await save(made, 2, 3)
  return made
}

it('more pending writes than fit a commit travel, and keep no other thread back', async () => {
  const [a, b] = [await withManyWrites(), await device(memoryStorage(SMALL))]
  await a.store.thread<State>('other').save({ n: 1 })
  await a.store.sync(b.far)
  const there = await thread(b.store).load(1)
  const own = await thread(a.store).load(1)
  const tasks = (all: typeof own) => all?.pendingWrites.map(({ taskId, value }) => [taskId, value])
  expect(tasks(there)?.length).toBe(60)
  expect(new Set(tasks(there)?.map((each) => JSON.stringify(each)))).toEqual(
    new Set(tasks(own)?.map((each) => JSON.stringify(each))),
  )
  expect(await b.store.thread('other').load()).toMatchObject({ state: { n: 1 } })
  // Some more come, to a checkpoint that is there.
  for (let i = 60; i < 130; i++) await thread(a.store).putWrites(2, `task ${i}`, [{ channel: 'c', value: i }])
  await a.store.sync(b.far)
  expect((await thread(b.store).load(2))?.pendingWrites.length).toBe(70)
  await clean(a, b)
})

it.each<readonly [what: string, (made: Device) => Promise<unknown>]>([
  ['deleteCheckpoints', ({ store }) => thread(store).deleteCheckpoints([1])],
  ['prune', ({ store }) => thread(store).prune({ keepLast: 1 })],
  ['delete', ({ store }) => thread(store).delete()],
  [
    'delete beside a fork',
    async ({ store }) => (await thread(store).fork({ as: 'fork' }), thread(store).delete()),
  ],
])('more pending writes than fit a commit go with %s', async (_, remove) => {
  const made = await withManyWrites()
  await remove(made)
  expect(await thread(made.store).load(1)).toBeUndefined()
  await clean(made)
})

it('a removal on a disk that stays full is made, and says that others are not told', async () => {
  const warn = vi.fn()
  const a = await device(memoryStorage(), warn)
  const b = await device()
  await save(a, 1, 2, 3)
  await a.store.sync(b.far)
  await a.store.sync(b.far)
  whenWrittenDown(a.storage, async () => {
    throw new CheckpointerError('QUOTA', 'full', { outcome: 'none' })
  })
  await thread(a.store).deleteCheckpoints([2])
  expect(await shown(a)).toEqual([1, 3])
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ code: 'FAILED', thread: 't' }))
})

it('a removal of what cannot be read is told again, and keeps no other from being told', async () => {
  const storage = memoryStorage()
  const [a, c] = [await device(), await device(storage)]
  for (const id of ['t', 'u']) {
    for (let n = 1; n <= 3; n++) await a.store.thread<State>(id).save({ n }, { id: `${id}${n}` })
  }
  await a.store.sync(c.far)
  const read = storage.read.bind(storage)
  const unread = vi.fn<Storage['read']>(async (partition, queries) =>
    (await read(partition, queries)).map((rows) =>
      rows.map((row) =>
        /"id":"t2"/.test(row.head) && row.key[1] === 2 ? { ...row, head: '999.0.{}' } : row,
      ),
    ),
  )
  storage.read = unread
  for (const id of ['t', 'u']) await a.store.thread(id).deleteCheckpoints([2])
  await a.store.sync(c.far)
  expect(await c.store.thread('u').load(2)).toBeUndefined()
  storage.read = read
  await a.store.sync(c.far)
  expect(await c.store.thread('t').load(2)).toBeUndefined()
  await clean(a, c)
})

it('threads that the other side lets nobody know of are left out, and told; unless they are asked for', async () => {
  const [a, b] = [await device(), await device()]
  for (const id of ['ada/1', 'settings', 'ada/2']) await a.store.thread<State>(id).save({ n: 1 })
  b.before.verb = async (_, request) => {
    const { thread: id } = (request ?? {}) as { thread?: string }
    if (id !== undefined && !id.startsWith('ada/'))
      throw new CheckpointerError('FORBIDDEN', 'no', { thread: id, outcome: 'none' })
  }
  expect(await a.store.sync(b.far)).toMatchObject({
    threads: 2,
    sent: { checkpoints: 2 },
    refused: ['settings'],
  })
  for (const id of ['ada/1', 'ada/2']) expect(await b.store.thread(id).load()).toBeDefined()
  await expect(a.store.sync(b.far, { threads: 'settings' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
