import type { ListQuery } from '../../storage/storage.ts'
import { openThread, type ThreadFacts } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { unlessDamaged } from '../store/unread.ts'

const PAGE = 100

/** A thread as its root's row has it. */
export interface ListedThread {
  readonly partition: string
  readonly facts: ThreadFacts
}

/** All threads, or those that were last changed before this; longest ago first. */
export async function oldestFirst(store: Store, before?: number): Promise<ListedThread[]> {
  const found: ListedThread[] = []
  // Ranks are whole milliseconds.
  let after: ListQuery['after'] = before === undefined ? undefined : { rank: before - 0.5, key: [] }
  for (;;) {
    const rows = await store.storage.list({ limit: PAGE, ...(after && { after }) })
    for (const row of rows) {
      const facts = unlessDamaged(() => openThread(row.partition, row).facts)
      if (facts) found.push({ partition: row.partition, facts })
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return found.reverse()
    after = { rank: last.rank, key: last.key }
  }
}

export interface IdleThread {
  readonly thread: string
  readonly partition: string
  readonly updatedAt: number
}

/** The same without those that keep everything. */
export async function idleSince(store: Store, before?: number): Promise<IdleThread[]> {
  return (await oldestFirst(store, before))
    .filter(({ facts }) => facts.retention !== false)
    .map(({ partition, facts: { thread, updatedAt } }) => ({ thread, partition, updatedAt }))
}
