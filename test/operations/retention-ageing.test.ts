import { openCheckpointer, type CheckpointerError, type OpenOptions, type RetentionPolicy } from 'forkpoint'
import type { Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const HOUR = 60 * 60_000
/** Longer than an opened checkpointer waits before it looks for the first time. */
const SOON = 5_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const warnings: CheckpointerError[] = []
const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)

/** A memory storage that says which partitions are read, and how often the list of threads is. */
function ground() {
  const inner = memoryStorage()
  const reads: string[] = []
  const broken = new Set<string>()
  const seen = { lists: 0 }
  const storage: Storage = {
    limits: inner.limits,
    async read(partition, queries) {
      reads.push(partition)
      if (broken.has(partition)) throw new Error('It cannot be read.')
      return inner.read(partition, queries)
    },
    async list(query) {
      seen.lists++
      return inner.list(query)
    },
    commit: (partition, batch) => inner.commit(partition, batch),
    locate: (key) => inner.locate(key),
    partitions: (query) => inner.partitions(query),
    destroy: () => inner.destroy(),
    close: async () => {},
  }
  const open = (retention?: RetentionPolicy, more: Partial<OpenOptions> = {}) =>
    openCheckpointer({ name: 'kept', storage, onWarning, ...(retention ? { retention } : {}), ...more })
  warnings.length = 0
  return { open, reads, broken, seen }
}

type Opened = Awaited<ReturnType<ReturnType<typeof ground>['open']>>

async function seqs(checkpointer: Opened, id: string): Promise<number[]> {
  const found: number[] = []
  for await (const { seq } of checkpointer.thread(id).history({ order: 'oldest' })) found.push(seq)
  return found
}

it('nothing is looked at where no rule has an age', async () => {
  const { open, seen } = ground()
  const checkpointer = await open({ keepLast: 3 })
  await checkpointer.thread('a').save(1)
  await vi.advanceTimersByTimeAsync(2 * HOUR)
  expect(seen.lists).toBe(0)
  await checkpointer.close()
})

it('an age that one thread has for itself is enough', async () => {
  const { open } = ground()
  const checkpointer = await open()
  for (let n = 1; n <= 3; n++) await checkpointer.thread('a', { retention: { olderThan: HOUR } }).save(n)
  for (let n = 1; n <= 3; n++) await checkpointer.thread('b').save(n)
  await vi.advanceTimersByTimeAsync(1.2 * HOUR)
  expect(await seqs(checkpointer, 'a')).toEqual([3])
  expect(await seqs(checkpointer, 'b')).toEqual([1, 2, 3])
  await checkpointer.close()
})

it('a thread is read again when something of it is due, and not before', async () => {
  const { open, reads } = ground()
  const before = await open()
  const thread = before.thread('a')
  await thread.save(1)
  await vi.advanceTimersByTimeAsync(HOUR)
  await thread.save(2)
  await thread.save(3)
  await before.close()
  await vi.advanceTimersByTimeAsync(0.1 * HOUR)
  reads.length = 0
  const checkpointer = await open({ olderThan: 1.5 * HOUR })
  await vi.advanceTimersByTimeAsync(SOON)
  expect(reads).toContain('a')
  reads.length = 0
  await vi.advanceTimersByTimeAsync(0.35 * HOUR)
  expect(reads).not.toContain('a')
  await vi.advanceTimersByTimeAsync(0.2 * HOUR)
  expect(await seqs(checkpointer, 'a')).toEqual([2, 3])
  await vi.advanceTimersByTimeAsync(HOUR)
  expect(await seqs(checkpointer, 'a')).toEqual([3])
  reads.length = 0
  await vi.advanceTimersByTimeAsync(48 * HOUR)
  expect(reads).not.toContain('a')
  await checkpointer.close()
})

it('of large states all goes at once, when nothing more will', async () => {
  const { open } = ground()
  const before = await open()
  const text = 'x'.repeat(200_000)
  const thread = before.thread('a')
  for (let n = 1; n <= 6; n++) {
    await thread.save({ text, n })
    await vi.advanceTimersByTimeAsync(0.1 * HOUR)
  }
  await before.close()
  const checkpointer = await open({ olderThan: HOUR })
  await vi.advanceTimersByTimeAsync(0.6 * HOUR)
  expect(await seqs(checkpointer, 'a')).toEqual([1, 2, 3, 4, 5, 6])
  await vi.advanceTimersByTimeAsync(0.5 * HOUR)
  expect(await seqs(checkpointer, 'a')).toEqual([6])
  expect((await checkpointer.thread('a').load())?.state).toEqual({ text, n: 6 })
  await checkpointer.close()
})

it('one that cannot be read is told, and keeps no other from its turn', async () => {
  const { open, broken } = ground()
  const before = await open()
  for (const id of ['old', 'broken', 'new']) for (let n = 1; n <= 3; n++) await before.thread(id).save(n)
  await before.close()
  broken.add('broken')
  const checkpointer = await open({ olderThan: HOUR })
  await vi.advanceTimersByTimeAsync(1.2 * HOUR)
  expect(await seqs(checkpointer, 'old')).toEqual([3])
  expect(await seqs(checkpointer, 'new')).toEqual([3])
  expect(warnings.length).toBeGreaterThan(0)
  expect(warnings.length).toBeLessThan(4)
  broken.clear()
  await vi.advanceTimersByTimeAsync(2 * HOUR)
  expect(await seqs(checkpointer, 'broken')).toEqual([3])
  await checkpointer.close()
})
