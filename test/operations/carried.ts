/** What tests of exports and imports have in common. */
import { CheckpointerError, openCheckpointer, type Batch, type Checkpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

/** It outlives the checkpointers that are opened on it. */
export const kept = (limits = {}): Storage =>
  Object.assign(memoryStorage({ limits }), { close: async () => {} })

export const warnings: CheckpointerError[] = []
export const open = (storage: Storage): Promise<Checkpointer> =>
  openCheckpointer({ name: 'carrying', storage, onWarning: (warning) => warnings.push(warning) })

export async function fileOf(source: AsyncIterable<Uint8Array>): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of source) pieces.push(new Uint8Array(piece))
  return new Blob(pieces)
}

/** Threads `a` and `b` of five steps each, in families of their own; `a` has so many forks. */
export async function made(forks = 1): Promise<Blob> {
  const checkpointer = await open(kept())
  for (const id of ['a', 'b']) {
    const thread = checkpointer.thread<number[]>(id)
    for (let n = 1; n <= 5; n++) await thread.save(Array.from({ length: n }, (_, i) => i))
  }
  for (let n = 1; n <= forks; n++) await checkpointer.thread('a').fork({ at: 3, as: `a fork ${n}` })
  return fileOf(checkpointer.export())
}

/** The same storage, asked about each commit before it is carried out. */
export const asked = (
  storage: Storage,
  ask: (partition: string, batch: Batch) => Promise<unknown>,
): Storage => ({
  limits: storage.limits,
  read: (partition, queries) => storage.read(partition, queries),
  async commit(partition, batch) {
    await ask(partition, batch)
    return storage.commit(partition, batch)
  },
  locate: (key) => storage.locate(key),
  list: (query) => storage.list(query),
  partitions: (query) => storage.partitions(query),
  destroy: () => storage.destroy(),
  close: () => storage.close(),
})

/** From the commit on that fits, nothing can be written any more. */
export function dying(storage: Storage, fits: (partition: string, batch: Batch) => boolean): Storage {
  let isDead = false
  return asked(storage, async (partition, batch) => {
    isDead ||= fits(partition, batch)
    if (isDead) throw new CheckpointerError('FAILED', 'The power is gone.')
  })
}

export const isPublishing = (partition: string, batch: Batch): boolean =>
  partition === '' && (batch.puts ?? []).some(({ head }) => head.includes('"publishing"'))
export const showsThreads = (partition: string, batch: Batch): boolean =>
  partition.startsWith('i:') && (batch.puts ?? []).some(({ table }) => table === 'threads')

export const idsIn = async (checkpointer: Checkpointer): Promise<string[]> => {
  const ids: string[] = []
  for await (const { id } of checkpointer.threads()) ids.push(id)
  return ids.sort()
}
