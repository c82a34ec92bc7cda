import { DATABASE_PARTITION, goneAfter, threadKey, threadOf, threadOfGone } from '../../storage/keys.ts'
import type { SyncListed, SyncListReply, SyncListRequest } from '../host.ts'
import type { Store } from '../store/store.ts'
import { goneStamp, stampOf, storeOf } from './stamp.ts'

/** A page of all threads, the latest first, then of those that were deleted since they were first brought together. */
export async function syncList(store: Store, { limit, after }: SyncListRequest): Promise<SyncListReply> {
  if (after && after.rank === undefined) return deleted(store, limit, after.thread)
  const found = await store.storage.list({
    limit,
    ...(after?.rank === undefined ? {} : { after: { rank: after.rank, key: threadKey(after.thread, '') } }),
  })
  const items: SyncListed[] = []
  for (const row of found) {
    const thread = threadOf(row.key)
    items.push({ thread, store: storeOf(store), stamp: await stampOf(store, row.partition, row) })
  }
  const last = found.length === limit ? found.at(-1) : undefined
  if (last) return { items, next: { thread: threadOf(last.key), rank: last.rank } }
  const rest = await deleted(store, Math.max(1, limit - items.length))
  return { ...rest, items: [...items, ...rest.items] }
}

/** One look for each of them: what was removed from a thread stands in rows that follow each other. */
async function deleted(store: Store, limit: number, from?: string): Promise<SyncListReply> {
  const items: SyncListed[] = []
  for (let after = from, looked = 0; ; looked++) {
    if (looked === limit) return { items, ...(after === undefined ? {} : { next: { thread: after } }) }
    const query = { table: 'meta', ...goneAfter(after), limit: 1 } as const
    const [[row] = []] = await store.storage.read(DATABASE_PARTITION, [query])
    if (!row) return { items }
    const thread = threadOfGone(row.key)
    after = thread
    if (await store.storage.locate(threadKey(thread, ''))) continue
    items.push({ thread, store: storeOf(store), stamp: await goneStamp(store, thread) })
  }
}
