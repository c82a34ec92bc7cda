import { CheckpointerError, openCheckpointer, type Checkpointer, type Lease, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host, SaveRequest } from '../../src/operations/host.ts'
import { toBytes } from '../../src/state/json-bytes.ts'
import { DATABASE_PARTITION, deletedRows } from '../../src/storage/keys.ts'
import { TABLES } from '../../src/storage/storage.ts'
import { listOf, rejection } from '../../src/testing/checkpointer/ground.ts'

const place = { thread: 't', namespace: '' }
let count = 0

function saving(state: unknown, lease?: string): SaveRequest {
  const key = `key ${++count}`
  const body = toBytes(state as never)
  return { ...place, key, createdAt: count, fields: {}, frame: { body }, ...(lease ? { lease } : {}) }
}

async function leaseOn(host: Host): Promise<string> {
  const taken = await host.takeLease({ thread: 't', key: `claim ${++count}`, always: true })
  if (!('lease' in taken)) throw new Error('It was not given.')
  return taken.lease
}

async function rowsOf(storage: Storage): Promise<unknown> {
  const tables = TABLES.map((table) => ({ table, from: [], to: ['~'] }))
  return (await storage.read('t', tables)).flat().map(({ key, version }) => [key, version])
}

describe('a list of saves', () => {
  it('ends before the first whose lease is another’s by now', async () => {
    const host = await createHost({ storage: memoryStorage() })
    const old = await leaseOn(host)
    await host.save(saving({ n: 0 }, old))
    const now = await leaseOn(host)
    const saves = [saving({ n: 1 }), saving({ n: 2 }, now), saving({ n: 3 }, old), saving({ n: 4 }, now)]
    const saved = await host.saveMany({ ...place, saves })
    expect(saved.map(({ seq }) => seq)).toEqual([2, 3])
    await rejection(host.saveMany({ ...place, saves: saves.slice(2) }), 'LEASE_LOST')
    expect((await host.load(place))?.info.seq).toBe(3)
  })
})

describe('a lease that is another’s by now', () => {
  it('takes back the parts that were written ahead', async () => {
    const limits = { valueBytes: 60_000, commitBytes: 100_000, operations: 50 }
    const storage = memoryStorage({ limits })
    const host = await createHost({ storage })
    const old = await leaseOn(host)
    await host.save(saving({ n: 0 }, old))
    await leaseOn(host)
    const before = await rowsOf(storage)
    await rejection(host.save(saving({ text: 'x'.repeat(400_000) }, old)), 'LEASE_LOST')
    expect(await rowsOf(storage)).toEqual(before)
  })

  it('stops a long removal between two of its parts', async () => {
    const storage = Object.assign(memoryStorage(), { close: async () => {} })
    const [one, two] = (await Promise.all(
      ['one', 'two'].map((name) => openCheckpointer({ name, storage })),
    )) as [Checkpointer, Checkpointer]
    const thread = one.thread<{ n: number }>('t')
    await thread.lease()
    for (let n = 1; n <= 1_100; n++) await thread.save({ n })
    let stolen: Promise<Lease> | undefined
    const onProgress = (): void => void (stolen ??= two.thread('t').lease({ steal: true }))
    await rejection(thread.prune({ keepLast: 1, onProgress }), 'LEASE_LOST')
    await stolen
    const left = (await listOf(two.thread('t').history())).length
    expect(left).toBeGreaterThan(1)
    expect(left).toBeLessThan(1_100)
    await rejection(thread.deleteCheckpoints([1_099]), 'LEASE_LOST')
    expect((await two.verify()).problems).toEqual([])
    await Promise.all([one.close(), two.close()])
  })

  it('leaves no word of a deletion that was refused', async () => {
    const storage = memoryStorage()
    const host = await createHost({ storage, isWitnessed: true })
    const old = await leaseOn(host)
    await host.save(saving({ n: 0 }, old))
    const now = await leaseOn(host)
    const marks = () => storage.read(DATABASE_PARTITION, [{ table: 'meta', ...deletedRows }])
    await rejection(host.deleteThread({ thread: 't', lease: old }), 'LEASE_LOST')
    expect(await marks()).toEqual([[]])
    await host.deleteThread({ thread: 't', lease: now })
    expect((await marks())[0]).toHaveLength(1)
  })

  it('is what a refusal is told as, when it is the reason of it', async () => {
    const host = await createHost({ storage: memoryStorage() })
    const old = await leaseOn(host)
    await host.save({ ...saving({ n: 0 }, old), id: 'mine' })
    await rejection(host.save({ ...saving({ n: 1 }, old), expect: 7 }), 'CONFLICT')
    await rejection(host.putWrites({ ...place, lease: old, checkpoint: 9, writes: [] }), 'NOT_FOUND')
    await leaseOn(host)
    await rejection(host.save({ ...saving({ n: 1 }, old), expect: 7 }), 'LEASE_LOST')
    await rejection(host.putWrites({ ...place, lease: old, checkpoint: 9, writes: [] }), 'LEASE_LOST')
  })

  it('does not keep the store from its own work: keyframes are written all the same', async () => {
    const storage = memoryStorage()
    const host = await createHost({ storage })
    const lease = await leaseOn(host)
    const texts: string[] = []
    for (let n = 0; n < 30; n++) {
      texts.push(`${n} `.repeat(500))
      await host.save(saving(texts, lease))
    }
    await leaseOn(host)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await host.load(place))?.frames?.index.length).toBeLessThan(30)
    await host.close()
  })
})

describe('a lease that is asked for again with its key, as no answer came', () => {
  const claim = { thread: 't', key: 'a claim' }

  it.each([{}, { always: true }])('is the one that was taken, with %j', async (how) => {
    const host = await createHost({ storage: memoryStorage() })
    const first = await host.takeLease({ ...claim, ...how })
    expect(first).toHaveProperty('lease')
    expect(await host.takeLease({ ...claim, ...how })).toEqual(first)
    const asked = await Promise.all([1, 2, 3].map(() => host.takeLease({ ...claim, thread: 'new', ...how })))
    expect(new Set(asked.map((reply) => JSON.stringify(reply))).size).toBe(1)
    expect(await host.takeLease({ thread: 't', key: 'another' })).toHaveProperty('sign')
  })

  it('is not given when it was taken over, or let go of and taken', async () => {
    const host = await createHost({ storage: memoryStorage() })
    await host.takeLease(claim)
    await leaseOn(host)
    expect(await host.takeLease(claim)).toHaveProperty('sign')
  })

  it('is the one of a commit of which the storage could not tell', async () => {
    const storage = memoryStorage()
    const commit = storage.commit.bind(storage)
    let isUnsure = true
    storage.commit = async (partition, batch) => {
      const made = await commit(partition, batch)
      if (!isUnsure || !batch.puts?.some(({ key }) => key[0] === 'lease')) return made
      isUnsure = false
      throw new CheckpointerError('FAILED', 'It broke off.', { outcome: 'unknown' })
    }
    const host = await createHost({ storage })
    const taken = await host.takeLease(claim)
    expect(isUnsure).toBe(false)
    expect(taken).toHaveProperty('lease')
    await host.save(saving({ n: 1 }, (taken as { lease: string }).lease))
  })
})

describe('the lease of a thread that is not there yet', () => {
  it('is lost when somebody makes a fork of that name, and is let go of all the same', async () => {
    const storage = memoryStorage()
    const host = await createHost({ storage })
    const lease = await leaseOn(host)
    const origin = { thread: 'origin', namespace: '' }
    await host.save({ ...saving({ n: 1 }), ...origin })
    await host.fork({ ...origin, as: 't', createdAt: 1, key: 'fork' })
    await rejection(host.save(saving({ n: 2 }, lease)), 'LEASE_LOST')
    await host.dropLease({ thread: 't', lease })
    expect(await storage.partitions({ limit: 10 })).toEqual(['', 'origin'])
  })

  it('outlives the last thread of the family whose partition it stands in', async () => {
    const host = await createHost({ storage: memoryStorage() })
    await host.save(saving({ n: 1 }))
    await host.fork({ ...place, as: 'fork', createdAt: 1, key: 'fork' })
    await host.deleteThread({ thread: 't' })
    const lease = await leaseOn(host)
    await host.deleteThread({ thread: 'fork' })
    expect((await host.save(saving({ n: 2 }, lease))).saved?.seq).toBe(1)
  })
})

describe('signs of life that are given by themselves', () => {
  it('go on whatever is asked under the same lease for another thread', async () => {
    const host = await createHost({ storage: memoryStorage() })
    const lease = await leaseOn(host)
    const signs = { lease, times: 100, every: 20 }
    await host.keepLease({ thread: 't', ...signs })
    await host.dropLease({ thread: 'u', lease })
    expect(await host.keepLease({ thread: 'u', ...signs })).toBe(false)
    const sign = await host.leaseSign({ thread: 't' })
    await vi.waitFor(async () => expect(await host.leaseSign({ thread: 't' })).not.toBe(sign))
    await host.dropLease({ thread: 't', lease })
    expect(await host.leaseSign({ thread: 't' })).toBeUndefined()
    await host.close()
  })
})
