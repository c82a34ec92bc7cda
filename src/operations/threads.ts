import { threadKey } from '../storage/keys.ts'
import type { StoredSummary, ThreadsReply, ThreadsRequest } from './host.ts'
import { infoOf } from './rows/checkpoint-row.ts'
import { isListed, openThread } from './rows/thread-row.ts'
import type { Store } from './store.ts'

/** One page of the list of threads, the latest first. A thread without any checkpoint is not in it. */
export async function threads(store: Store, { limit, after }: ThreadsRequest): Promise<ThreadsReply> {
  const found = await store.storage.list({
    limit,
    ...(after ? { after: { rank: after.rank, key: threadKey(after.thread, '') } } : {}),
  })
  const items: StoredSummary[] = []
  let last: ThreadsReply['next']
  for (const row of found) {
    const { facts } = openThread(row.partition, row)
    last = { rank: row.rank, thread: facts.thread }
    if (!isListed(facts)) continue
    items.push({
      thread: facts.thread,
      createdAt: facts.createdAt,
      updatedAt: facts.updatedAt,
      ...(facts.label === undefined ? {} : { label: facts.label }),
      ...(facts.forkOf ? { forkOf: facts.forkOf } : {}),
      ...(facts.head ? { head: infoOf(facts.head) } : {}),
    })
  }
  return { items, ...(found.length === limit && last ? { next: last } : {}) }
}
