import type { StoredSummary, ThreadsReply, ThreadsRequest } from '../host.ts'
import { listedThreads } from './listed.ts'
import { infoOf } from '../rows/checkpoint-row.ts'
import { isListed, type ThreadFacts } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'

/** One page of the list of threads, the latest first. A thread without any checkpoint is not in it. */
export async function threads(store: Store, request: ThreadsRequest): Promise<ThreadsReply> {
  const { threads: found, next } = await listedThreads(store, request)
  // One of them will be loaded, or saved to.
  for (const thread of found) store.threads.hint(thread)
  const items = found.map(({ facts }) => facts).filter(isListed)
  return { items: items.map(summaryOf), ...(next ? { next } : {}) }
}

const summaryOf = ({
  thread,
  createdAt,
  updatedAt,
  label,
  forkOf,
  head,
  tips = [],
}: ThreadFacts): StoredSummary => ({
  thread,
  createdAt,
  updatedAt,
  ...(label === undefined ? {} : { label }),
  ...(forkOf ? { forkOf } : {}),
  ...(head ? { head: infoOf(head) } : {}),
  ...(tips.length > 0 ? { otherHeads: tips.map(({ seq, id }) => ({ seq, id })) } : {}),
})
