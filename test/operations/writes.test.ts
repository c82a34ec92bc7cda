import type { Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it } from 'vitest'
import { CheckpointerError } from '../../src/errors.ts'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host, StoredRun, StoredWrite } from '../../src/operations/host.ts'
import type { Json } from '../../src/state/json.ts'
import { fromBytes, toBytes } from '../../src/state/json-bytes.ts'
import { allRows } from '../../src/storage/keys.ts'
import { range, rejection } from '../../src/testing/checkpointer/ground.ts'

const place = { thread: 't', namespace: '' }
const LARGE = 'x'.repeat(60_000)

const write = (taskId: string, index: number, value: Json): StoredWrite => ({
  taskId,
  index,
  channel: 'c',
  body: toBytes(value),
})

/** A thread of two checkpoints: the second has writes of several tasks. */
async function furnished(storage = memoryStorage()): Promise<Host> {
  const host = await createHost({ storage })
  for (const n of [1, 2])
    await host.save({ ...place, key: `k${n}`, createdAt: n, fields: {}, frame: { body: toBytes({ n }) } })
  const writes = [
    write('task', -1, 'attempt'),
    write('task', 0, 'first'),
    write('task', 2, LARGE),
    write('task', 10, 'third'),
    write('task 2', 0, 'of another'),
    write('tas', 5, 'of a third'),
  ]
  await host.putWrites({ ...place, checkpoint: 2, writes })
  return host
}

const read = async (
  host: Host,
  more: Partial<Parameters<Host['readWrites']>[0]> = {},
): Promise<unknown[]> => {
  const found = await host.readWrites({ ...place, checkpoint: 2, taskId: 'task', from: -100, ...more })
  return found.map(({ index, body }) => [index, fromBytes(body)])
}

describe('the writes of one task', () => {
  it('come alone, in the order of their indexes, from the one that was asked for', async () => {
    const host = await furnished()
    expect(await read(host)).toEqual([
      [-1, 'attempt'],
      [0, 'first'],
      [2, LARGE],
      [10, 'third'],
    ])
    expect(await read(host, { from: 2 })).toEqual([
      [2, LARGE],
      [10, 'third'],
    ])
    expect(await read(host, { from: 11 })).toEqual([])
    expect(await read(host, { from: 10, before: 1 })).toEqual([
      [-1, 'attempt'],
      [0, 'first'],
      [10, 'third'],
    ])
    expect(await read(host, { taskId: 'tas' })).toEqual([[5, 'of a third']])
  })

  it('come with those of all others in the order in which they came, when no task is named', async () => {
    const host = await furnished()
    await host.putWrites({ ...place, checkpoint: 2, writes: [write('a', 0, 'late')] })
    const all = await host.readWrites({ ...place, checkpoint: 2 })
    expect(all.map(({ taskId, index }) => [taskId, index])).toEqual([
      ['task', -1],
      ['task', 0],
      ['task', 2],
      ['task', 10],
      ['task 2', 0],
      ['tas', 5],
      ['a', 0],
    ])
    expect(fromBytes((all[2] as StoredWrite).body)).toEqual(LARGE)
  })

  it('are none where there is no such task, checkpoint or thread', async () => {
    const host = await furnished()
    expect(await read(host, { taskId: 'none' })).toEqual([])
    expect(await read(host, { checkpoint: 1 })).toEqual([])
    expect(await read(host, { thread: 'other' })).toEqual([])
  })
})

describe('writes of which one commit takes a few', () => {
  const limits = { valueBytes: 60_000, commitBytes: 200_000, operations: 20 }
  const run: StoredRun = { id: 'r', status: 'failed', turn: 'one', began: 1, at: 2 }
  const many = range(0, 29).map((index) => write('many', index, index % 5 ? index : LARGE))
  const indexes = async (host: Host): Promise<number[]> =>
    (await host.readWrites({ ...place, checkpoint: 2, taskId: 'many' })).map(({ index }) => index)

  it('stay as far as they came when it breaks off, and come whole when they are sent again', async () => {
    const storage = memoryStorage({ limits })
    const host = await furnished(storage)
    const { commit } = storage
    let commits = 0
    storage.commit = async (partition, batch) => {
      if (batch.checks && ++commits === 3)
        throw new CheckpointerError('QUOTA', 'The disk is full.', { outcome: 'none' })
      return commit.call(storage, partition, batch)
    }
    const request = { ...place, checkpoint: 2, writes: many, run }
    const refused = await rejection(host.putWrites(request), 'QUOTA')
    // Of the first ones it is not true that they are not there.
    expect(refused.outcome).toBe('unknown')
    const before = await indexes(host)
    expect(before.length).toBeGreaterThan(0)
    expect(before).toEqual(range(0, before.length - 1))
    expect((await host.head(place)).run).toBeUndefined()
    expect(await host.putWrites(request)).toEqual({ written: many.length - before.length })
    expect(await indexes(host)).toEqual(range(0, 29))
    expect((await host.head(place)).run).toEqual(run)
    expect((await host.verify({})).problems).toEqual([])
  })

  it('are told of each once, and the run when all are there', async () => {
    const storage = memoryStorage({ limits })
    const told: string[] = []
    await furnished(storage)
    const host = await createHost({ storage, publish: ({ type }) => told.push(type) })
    const writes = many.map((each) => ({ ...each, taskId: `one of ${each.index}`, index: 0 }))
    await host.putWrites({ ...place, checkpoint: 2, writes, run })
    expect(told).toEqual([...many.map(() => 'writes'), 'run'])
  })

  it('stop where the lease has become another’s', async () => {
    const storage = memoryStorage({ limits })
    const host = await furnished(storage)
    const mine = await host.takeLease({ thread: 't', key: 'mine', always: true })
    if (!('lease' in mine)) return expect.unreachable()
    const { commit } = storage
    let commits = 0
    storage.commit = async (partition, batch) => {
      if (batch.checks && ++commits === 3) {
        storage.commit = commit
        await host.takeLease({ thread: 't', key: 'other', always: true })
      }
      return commit.call(storage, partition, batch)
    }
    const request = { ...place, checkpoint: 2, writes: many, run }
    await rejection(host.putWrites({ ...request, lease: mine.lease }), 'LEASE_LOST')
    const there = await indexes(host)
    expect(there.length).toBeGreaterThan(0)
    expect(there.length).toBeLessThan(many.length)
    expect((await host.head(place)).run).toBeUndefined()
  })
})

const partsIn = async (storage: Storage): Promise<number> => {
  const [rows = []] = await storage.read('t', [{ table: 'parts', ...allRows() }])
  return rows.length
}

describe('writes that are dropped', () => {
  const drop = { ...place, checkpoint: 2, tasks: ['task', 'none'], from: 2 }

  it('go with their parts from the index that was named, and no others', async () => {
    const storage = memoryStorage()
    const host = await furnished(storage)
    expect(await partsIn(storage)).toBeGreaterThan(0)
    await host.dropWrites(drop)
    expect(await read(host)).toEqual([
      [-1, 'attempt'],
      [0, 'first'],
    ])
    expect(await read(host, { taskId: 'tas' })).toHaveLength(1)
    expect(await partsIn(storage)).toBe(0)
    expect((await host.verify({})).problems).toEqual([])
    await host.putWrites({ ...place, checkpoint: 2, writes: [write('task', 2, 'again')] })
    expect(await read(host, { from: 2 })).toEqual([[2, 'again']])
  })

  it('go although they are damaged, and one that overwrites takes the place of such a one', async () => {
    const storage = memoryStorage()
    const host = await furnished(storage)
    const [rows = []] = await storage.read('t', [{ table: 'writes', ...allRows() }])
    for (const { key, head, body } of rows) {
      const damaged = head.replace('"at":', '"au":')
      await storage.commit('t', {
        puts: [{ table: 'writes', key, head: damaged, ...(body ? { body } : {}) }],
      })
    }
    await rejection(read(host), 'CORRUPT')
    await host.putWrites({ ...place, checkpoint: 2, writes: [write('task', -1, 'another')] })
    expect(await read(host, { before: 0, from: 100 })).toEqual([[-1, 'another']])
    await host.dropWrites({ ...drop, from: 0 })
    expect(await read(host)).toEqual([[-1, 'another']])
  })

  it('go in as many commits as the storage needs, and are counted right beside other writers', async () => {
    const limits = { valueBytes: 60_000, commitBytes: 200_000, operations: 20 }
    const storage = memoryStorage({ limits })
    const host = await furnished(storage)
    const beside = await createHost({ storage })
    for (let index = 20; index < 60; index++)
      await host.putWrites({
        ...place,
        checkpoint: 2,
        writes: [write('task', index, index % 3 ? index : LARGE)],
      })
    await Promise.all([
      host.dropWrites(drop),
      ...[1, 2, 3].map((index) =>
        beside.putWrites({ ...place, checkpoint: 2, writes: [write('beside', index, index)] }),
      ),
    ])
    expect(await read(host, { from: 2 })).toEqual([])
    expect(await read(host, { taskId: 'beside' })).toHaveLength(3)
    expect(await partsIn(storage)).toBe(0)
    expect((await host.verify({})).problems).toEqual([])
  })

  it('are nothing to be told of where they are gone, and stay under a lease that is another’s', async () => {
    const host = await furnished()
    await host.dropWrites({ ...drop, thread: 'other' })
    await host.dropWrites({ ...drop, checkpoint: 7 })
    await host.takeLease({ thread: 't', key: 'claim', always: true })
    await rejection(host.dropWrites({ ...drop, lease: 'old' }), 'LEASE_LOST')
    expect(await read(host, { from: 2 })).toHaveLength(2)
  })
})
