import type { Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { toBytes } from '../../src/state/json-bytes.ts'
import { bytesOf } from '../../src/storage/storage.ts'

const noise = (length: number): Uint8Array<ArrayBuffer> =>
  toBytes(Array.from({ length }, () => Math.random().toString(36).slice(2, 3)).join(''))

/** A storage that says how many bytes each of its reads gave. */
function weighed(): { readonly storage: Storage; readonly reads: number[] } {
  const storage = memoryStorage()
  const reads: number[] = []
  const ask = storage.read.bind(storage)
  const read: Storage['read'] = async (partition, queries) => {
    const found = await ask(partition, queries)
    reads.push(found.flat().reduce((sum, row) => sum + bytesOf(row), 0))
    return found
  }
  return { storage: Object.assign(storage, { read }), reads }
}

it('a copy reads no state, and of pending writes a few at a time', async () => {
  const { storage, reads } = weighed()
  const host = await createHost({ storage })
  const place = { thread: 't', namespace: '' }
  for (let i = 1; i <= 20; i++)
    await host.save({ ...place, key: `k${i}`, createdAt: i, fields: {}, frame: { body: noise(200_000) } })
  const copied = async (as: string) => {
    reads.length = 0
    await host.copy({ thread: 't', as, createdAt: 1, key: as })
    return { all: reads.reduce((sum, bytes) => sum + bytes, 0), most: Math.max(...reads) }
  }
  expect((await copied('without writes')).all).toBeLessThan(10_000)
  const writes = Array.from({ length: 100 }, (_, index) => ({
    taskId: 'task',
    index,
    channel: 'found',
    body: noise(20_000),
  }))
  await host.putWrites({ ...place, checkpoint: 10, writes })
  const { all, most } = await copied('with writes')
  expect(all).toBeLessThan(2_100_000)
  expect(most).toBeLessThan(700_000)
  const loaded = await host.load({ ...place, thread: 'with writes', at: { seq: 10 } })
  expect(loaded?.writes).toEqual(writes)
  expect((await host.verify({})).problems).toEqual([])
})
