import { CheckpointerError } from '../errors.ts'
import { threadKey, unescapeId } from '../storage/keys.ts'
import type { ListedRow } from '../storage/storage.ts'
import type { StoredSummary, ThreadsReply, ThreadsRequest } from './host.ts'
import { infoOf } from './rows/checkpoint-row.ts'
import { isListed, openThread, type ThreadFacts } from './rows/thread-row.ts'
import type { Store } from './store/store.ts'

/** One page of the list of threads, the latest first. A thread without any checkpoint is not in it. */
export async function threads(store: Store, { limit, after }: ThreadsRequest): Promise<ThreadsReply> {
  const found = await store.storage.list({
    limit,
    ...(after ? { after: { rank: after.rank, key: threadKey(after.thread, '') } } : {}),
  })
  const items: StoredSummary[] = []
  let last: ThreadsReply['next']
  for (const row of found) {
    last = { rank: row.rank, thread: unescapeId(row.key[0] as string) }
    const facts = openOrWarn(store, row)
    if (!facts || !isListed(facts)) continue
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

/** One damaged row must not hide the others; nor go unsaid. */
function openOrWarn(store: Store, row: ListedRow): ThreadFacts | undefined {
  try {
    return openThread(row.partition, row).facts
  } catch (error) {
    if (!CheckpointerError.is(error, 'CORRUPT')) throw error
    const thread = unescapeId(row.key[0] as string)
    const message = `Thread '${thread}' is left out of the list: ${error.message}`
    store.warn(new CheckpointerError('CORRUPT', message, { thread, cause: error }))
    return undefined
  }
}
