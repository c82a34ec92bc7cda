import type { StoredSummary, ThreadsReply, ThreadsRequest } from './host.ts'
import { listedThreads } from './listed.ts'
import { infoOf } from './rows/checkpoint-row.ts'
import { isListed, type ThreadFacts } from './rows/thread-row.ts'
import type { Store } from './store/store.ts'

/** One page of the list of threads, the latest first. A thread without any checkpoint is not in it. */
export async function threads(store: Store, request: ThreadsRequest): Promise<ThreadsReply> {
  const { threads: found, next } = await listedThreads(store, request)
  const items = found.map(({ facts }) => facts).filter(isListed)
  return { items: items.map(summaryOf), ...(next ? { next } : {}) }
}

const summaryOf = ({ thread, createdAt, updatedAt, label, forkOf, head }: ThreadFacts): StoredSummary => ({
  thread,
  createdAt,
  updatedAt,
  ...(label === undefined ? {} : { label }),
  ...(forkOf ? { forkOf } : {}),
  ...(head ? { head: infoOf(head) } : {}),
})
