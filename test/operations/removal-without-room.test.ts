import { CheckpointerError, openCheckpointer, type Checkpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { bytesOf } from '../../src/storage/storage.ts'

interface State {
  readonly n: number
  readonly texts: readonly string[]
}

const text = (n: number): string =>
  Array.from({ length: 3_000 }, (_, i) => ((n * 7_919 + i * 104_729) % 99_991).toString(36)).join(' ')

/** Each save writes a quarter of it anew, so that there is a keyframe every few saves. */
const state = (n: number): State => ({
  n,
  texts: [0, 1, 2, 3].map((i) => text(Math.floor((n + i) / 4) * 4 - i)),
})

/** A storage in which little can be put once it is full, until a checkpoint is deleted: as browsers count. */
function fullStorage(room: number): { storage: Storage; fill: () => void } {
  const inner = memoryStorage()
  let isFull = false
  return {
    fill: () => (isFull = true),
    storage: {
      limits: inner.limits,
      read: (partition, queries) => inner.read(partition, queries),
      locate: (key) => inner.locate(key),
      list: (query) => inner.list(query),
      partitions: (query) => inner.partitions(query),
      destroy: () => inner.destroy(),
      close: async () => {},
      async commit(partition, batch) {
        const bytes = (batch.puts ?? []).reduce((sum, put) => sum + bytesOf(put), 0)
        if (isFull && bytes > room) throw new CheckpointerError('QUOTA', 'Full.', { outcome: 'none' })
        if (batch.deleteRanges?.some(({ table }) => table === 'checkpoints')) isFull = false
        return inner.commit(partition, batch)
      },
    },
  }
}

async function filled(storage: Storage, warnings: string[]): Promise<Checkpointer> {
  const checkpointer = await openCheckpointer({
    name: 'full',
    storage,
    onWarning: ({ code }) => warnings.push(code),
  })
  const thread = checkpointer.thread<State>('a')
  for (let n = 1; n <= 15; n++) {
    await thread.save(state(n))
    // Keyframes are written behind a save, where the state was weighed and the chain was found to be long.
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  return checkpointer
}

it('a prune goes through where there is no room to write anew what stays, and leaves it whole', async () => {
  const warnings: string[] = []
  const full = fullStorage(4_000)
  const checkpointer = await filled(full.storage, warnings)
  full.fill()
  const thread = checkpointer.thread<State>('a')
  expect((await thread.prune({ keepLast: 1 })).kept).toBe(1)
  const kept: number[] = []
  for await (const { seq, state: found } of thread.history({ states: true })) {
    kept.push(seq)
    expect(found).toEqual(state(seq))
  }
  expect(kept).toEqual([15])
  expect((await checkpointer.verify()).problems).toEqual([])
  // What had to wait for room is gone too by now.
  const [rows = []] = await full.storage.read('a', [{ table: 'checkpoints', from: [], to: ['\x7e'] }])
  expect(rows).toHaveLength(1)
  expect(warnings).toEqual([])
  await checkpointer.close()
})

it('a prune that finds no room at all is refused, and takes nothing', async () => {
  const warnings: string[] = []
  const full = fullStorage(0)
  const checkpointer = await filled(full.storage, warnings)
  full.fill()
  await expect(checkpointer.thread<State>('a').prune({ keepLast: 1 })).rejects.toMatchObject({
    code: 'QUOTA',
  })
  const seqs: number[] = []
  for await (const { seq } of checkpointer.thread<State>('a').history()) seqs.push(seq)
  expect(seqs).toHaveLength(15)
  expect((await checkpointer.verify()).problems).toEqual([])
  await checkpointer.close()
})
