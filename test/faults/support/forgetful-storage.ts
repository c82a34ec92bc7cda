import { memoryStorage } from '../../../src/storage/memory.ts'
import type { Batch, Storage } from '../../../src/storage/storage.ts'

/** A storage that knows what a cut of the power would take from it: commits that are relaxed, and came last. */
export function forgetfulStorage(): {
  readonly storage: Storage
  commits(): number
  cut(share: number): Promise<Storage>
} {
  const memory = memoryStorage()
  const log: { readonly partition: string; readonly batch: Batch }[] = []
  return {
    storage: {
      limits: memory.limits,
      read: (partition, queries) => memory.read(partition, queries),
      async commit(partition, batch) {
        const result = await memory.commit(partition, batch)
        if (result.ok) log.push({ partition, batch })
        return result
      },
      locate: (key) => memory.locate(key),
      list: (query) => memory.list(query),
      partitions: (query) => memory.partitions(query),
      destroy: () => memory.destroy(),
      close: async () => {},
    },
    commits: () => log.length,
    /** `share`: of those that could go, how many do. */
    async cut(share) {
      const safe = log.findLastIndex(({ batch }) => !batch.relaxed) + 1
      const kept = safe + Math.floor((log.length - safe) * (1 - share))
      const left = memoryStorage()
      for (const { partition, batch } of log.slice(0, kept)) {
        const { checks: _, ...rest } = batch
        await left.commit(partition, rest)
      }
      return Object.assign(left, { close: async () => {} })
    },
  }
}
