import { openThread } from '../rows/thread-row.ts'
import { unlessDamaged, type Store } from '../store/store.ts'
import type { ListQuery } from '../../storage/storage.ts'

const PAGE = 100

export interface IdleThread {
  readonly thread: string
  readonly partition: string
  readonly updatedAt: number
}

/** All threads that were last changed before this, longest ago first; not those that keep everything. */
export async function idleSince(store: Store, before: number): Promise<IdleThread[]> {
  const found: IdleThread[] = []
  // Ranks are whole milliseconds.
  let after: ListQuery['after'] = { rank: before - 0.5, key: [] }
  for (;;) {
    const rows = await store.storage.list({ limit: PAGE, after })
    for (const row of rows) {
      const facts = unlessDamaged(() => openThread(row.partition, row).facts)
      if (facts && facts.retention !== false)
        found.push({ thread: facts.thread, partition: row.partition, updatedAt: facts.updatedAt })
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return found.reverse()
    after = { rank: last.rank, key: last.key }
  }
}
