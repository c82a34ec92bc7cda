import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host, StoredWrite } from '../../src/operations/host.ts'
import type { Json } from '../../src/state/json.ts'
import { fromBytes, toBytes } from '../../src/state/json-bytes.ts'

const place = { thread: 't', namespace: '' }
const LARGE = 'x'.repeat(60_000)

const write = (taskId: string, index: number, value: Json): StoredWrite => ({
  taskId,
  index,
  channel: 'c',
  body: toBytes(value),
})

/** A thread of two checkpoints: the second has writes of several tasks. */
async function furnished(): Promise<Host> {
  const host = await createHost({ storage: memoryStorage() })
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
    expect(await read(host, { taskId: 'tas' })).toEqual([[5, 'of a third']])
  })

  it('are none where there is no such task, checkpoint or thread', async () => {
    const host = await furnished()
    expect(await read(host, { taskId: 'none' })).toEqual([])
    expect(await read(host, { checkpoint: 1 })).toEqual([])
    expect(await read(host, { thread: 'other' })).toEqual([])
  })
})
