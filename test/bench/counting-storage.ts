import type { Storage } from 'forkpoint'

/** What was asked of a storage. */
export interface Counts {
  /** Readonly transactions: `read`, `locate` and `list`. */
  reads: number
  /** Readwrite transactions. */
  commits: number
  /** Commits that put a row that is there in another form: the new keyframes of compaction. */
  rewrites: number
  rowsPut: number
  /** Of the heads and bodies of all rows put. */
  bytesPut: number
  rowsRead: number
}

const noCounts = (): Counts => ({
  reads: 0,
  commits: 0,
  rewrites: 0,
  rowsPut: 0,
  bytesPut: 0,
  rowsRead: 0,
})

/** The same storage, with every call counted. */
export function countingStorage(storage: Storage): { readonly storage: Storage; readonly counts: Counts } {
  const counts = noCounts()
  const encoder = new TextEncoder()
  return {
    counts,
    storage: {
      limits: storage.limits,
      async read(partition, queries) {
        counts.reads++
        const results = await storage.read(partition, queries)
        counts.rowsRead += results.flat().length
        return results
      },
      async commit(partition, batch) {
        const puts = batch.puts ?? []
        counts.commits++
        if (batch.checks?.some(({ table, version }) => table === 'checkpoints' && version !== undefined))
          counts.rewrites++
        counts.rowsPut += puts.length
        for (const { head, body } of puts)
          counts.bytesPut += encoder.encode(head).length + (body?.length ?? 0)
        return storage.commit(partition, batch)
      },
      async locate(key) {
        counts.reads++
        const found = await storage.locate(key)
        if (found) counts.rowsRead++
        return found
      },
      async list(query) {
        counts.reads++
        const rows = await storage.list(query)
        counts.rowsRead += rows.length
        return rows
      },
      partitions: (query) => storage.partitions(query),
      destroy: () => storage.destroy(),
      close: () => storage.close(),
    },
  }
}
