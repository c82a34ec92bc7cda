import { expect } from 'vitest'
import type { Batch, Put, Storage } from '../../storage/storage.ts'
import { bytes, commit, EVERYTHING, get, keys, P, refuses, row, sameBytes, type Law } from './law.ts'

/** Where there is no bound, this much has to go in. */
const PLENTY = { bytes: 5_000_000, operations: 1_000 }
const upTo = (limit: number, plenty: number): number => (limit === Infinity ? plenty : limit)

export function limitLaws(law: Law): void {
  law('a key of as many bytes as the limit says goes in, whatever it is made of', async ({ storage }) => {
    for (const put of keysOf(Math.min(storage.limits.keyBytes, 4096))) {
      await commit(storage, P, { puts: [put] })
      expect((await get(storage, P, put.table, put.key))?.key).toEqual(put.key)
      if (!put.alias) continue
      const [found] = await storage.read(P, [{ table: 'checkpoints', alias: put.alias }])
      expect(found?.[0]?.key).toEqual(put.key)
    }
  })

  law('a key of one byte more is TOO_LARGE, and nothing is written', async ({ storage }) => {
    if (storage.limits.keyBytes === Infinity) return
    for (const put of keysOf(storage.limits.keyBytes + 1)) await refusesWhole(storage, [put])
  })

  law('what a key of more bytes would name is not there', async ({ storage }) => {
    await commit(storage, P, { puts: [row('threads', ['t', '']), row('checkpoints', ['a', 1])] })
    const most = Math.min(storage.limits.keyBytes, 4096)
    for (const { table, key, alias } of [...keysOf(most + 1), ...keysOf(2 * most)]) {
      if (alias) expect(await storage.read(P, [{ table: 'checkpoints', alias }])).toEqual([[]])
      else expect(await get(storage, P, table, key)).toBeUndefined()
      if (table === 'threads') expect(await storage.locate(key)).toBeUndefined()
    }
  })

  law('a row of as many bytes as the limit says goes in', async ({ storage }) => {
    const { valueBytes, commitBytes } = storage.limits
    const size = upTo(Math.min(valueBytes, commitBytes), PLENTY.bytes)
    const put = row('parts', ['a', 1, '', 0], 'head', { body: bytes(size - 4) })
    await commit(storage, P, { puts: [put] })
    const found = await get(storage, P, 'parts', ['a', 1, '', 0])
    expect(found?.head).toBe('head')
    expect(sameBytes(found?.body, bytes(size - 4))).toBe(true)
    const [again] = await storage.read(P, [{ table: 'parts', from: ['a'], to: ['b'] }])
    expect(sameBytes(again?.[0]?.body, bytes(size - 4))).toBe(true)
  })

  law('a row of one byte more is TOO_LARGE, and nothing is written', async ({ storage }) => {
    const { valueBytes } = storage.limits
    if (valueBytes === Infinity) return
    await refusesWhole(storage, [row('parts', ['a', 1, '', 0], '', { body: bytes(valueBytes + 1) })])
    await refusesWhole(storage, [row('parts', ['a', 1, '', 0], 'x', { body: bytes(valueBytes) })])
    await refusesWhole(storage, [row('parts', ['a', 1, '', 0], 'x'.repeat(valueBytes + 1))])
  })

  law('a commit of as many operations as the limit says goes in', async ({ storage }) => {
    const most = upTo(storage.limits.operations, PLENTY.operations)
    await commit(storage, P, operations(most))
    expect(await keys(storage, P, 'writes')).toHaveLength(most - Math.min(3, most - 1))
  })

  law('a commit of one operation more is TOO_LARGE, and nothing is written', async ({ storage }) => {
    const { operations: most } = storage.limits
    if (most === Infinity) return
    await refuses(storage.commit(P, operations(most + 1)), 'TOO_LARGE')
    expect(await storage.partitions({ limit: 10 })).toEqual([])
  })

  law('a commit of as many bytes as the limit says goes in', async ({ storage }) => {
    const puts = rowsOf(storage, upTo(storage.limits.commitBytes, PLENTY.bytes))
    if (!puts) return
    await commit(storage, P, { puts })
    expect(await keys(storage, P, 'parts')).toHaveLength(puts.length)
  })

  law('a commit of one byte more is TOO_LARGE, and nothing is written', async ({ storage }) => {
    const puts =
      storage.limits.commitBytes === Infinity ? undefined : rowsOf(storage, storage.limits.commitBytes + 1)
    if (!puts) return
    await refuses(storage.commit(P, { puts }), 'TOO_LARGE')
    expect(await keys(storage, P, 'parts')).toEqual([])
  })
}

/** Rows whose keys, or aliases, weigh so much: a string as its length, a number as 16. */
function keysOf(size: number): Put[] {
  const text = (length: number): string => 'k'.repeat(length)
  return [
    row('meta', [text(size), '']),
    row('threads', [text(size - 3), 'sub']),
    row('threads', ['t', text(size - 1)]),
    row('checkpoints', [text(size - 16), 1]),
    row('checkpoints', ['a', 1], '', { alias: ['a', text(size - 1)] }),
    row('parts', [text(size - 37), 1, 'owner', 1]),
    row('writes', ['a', 1, text(size - 33), 1]),
  ].filter(({ key }) => key.every((part) => part !== ''))
}

/** A batch is refused for these, whether they stand alone or with something that would do. */
async function refusesWhole(storage: Storage, puts: readonly Put[]): Promise<void> {
  await refuses(storage.commit(P, { puts }), 'TOO_LARGE')
  const beside = [row('meta', ['before', '']), ...puts, row('meta', ['after', ''])]
  if (beside.length <= storage.limits.operations)
    await refuses(storage.commit(P, { puts: beside }), 'TOO_LARGE')
  expect(await storage.partitions({ limit: 10 })).toEqual([])
  expect(await keys(storage, P, 'meta', EVERYTHING)).toEqual([])
}

/** A batch of so many operations: one of each other kind, as far as there is room, and puts. */
function operations(count: number): Batch {
  const rest = Math.min(3, count - 1)
  return {
    checks: ([{ table: 'meta', key: ['absent', ''], version: undefined }] as const).slice(0, rest),
    deletes: ([{ table: 'meta', key: ['absent', ''] }] as const).slice(0, rest - 1),
    deleteRanges: ([{ table: 'parts', from: ['a'], to: ['b'] }] as const).slice(0, Math.max(0, rest - 2)),
    puts: Array.from({ length: count - rest }, (_, i) => row('writes', ['a', 1, 'task', i])),
  }
}

/** Rows that weigh so much together and are each within bounds; nothing where that is too many of them. */
function rowsOf({ limits }: Storage, total: number): Put[] | undefined {
  const each = Math.min(limits.valueBytes, Math.ceil(total / 2))
  const count = Math.ceil(total / each)
  if (count > limits.operations) return undefined
  return Array.from({ length: count }, (_, i) => {
    const size = Math.min(each, total - i * each)
    return row('parts', ['a', 1, '', i], 'h', { body: bytes(size - 1) })
  })
}
