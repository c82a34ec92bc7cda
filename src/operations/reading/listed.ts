import { CheckpointerError } from '../../errors.ts'
import { threadKey, threadOf, threadRows } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import type { ThreadsRequest } from '../host.ts'
import { openThread, type ThreadFacts, type ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { isUnread } from '../store/unread.ts'

interface ListedThreads {
  /** Of the root namespace; those that can be read. */
  readonly threads: readonly ThreadRow[]
  readonly next?: { readonly rank: number; readonly thread: string }
}

/** One page of the rows of threads, the latest first. */
export async function listedThreads(store: Store, { limit, after }: ThreadsRequest): Promise<ListedThreads> {
  const found = await store.storage.list({
    limit,
    ...(after ? { after: { rank: after.rank, key: threadKey(after.thread, '') } } : {}),
  })
  const threads = found.flatMap((row) => openOrWarn(store, row.partition, row) ?? [])
  const last = found.length === limit ? found.at(-1) : undefined
  return { threads, ...(last ? { next: { rank: last.rank, thread: threadOf(last.key) } } : {}) }
}

/** The rows of all of a thread's namespaces; those that can be read. */
export async function namespacesOf(
  store: Store,
  { partition, facts }: ThreadRow,
): Promise<readonly ThreadFacts[]> {
  if (!facts.others) return [facts]
  const [rows = []] = await store.storage.read(partition, [{ table: 'threads', ...threadRows(facts.thread) }])
  return rows.flatMap((row) => openOrWarn(store, partition, row)?.facts ?? [])
}

/** One that is damaged, or of a later version, must not hide the others; nor go unsaid. */
function openOrWarn(store: Store, partition: string, row: Row): ThreadRow | undefined {
  try {
    return openThread(partition, row)
  } catch (error) {
    if (!isUnread(error)) throw error
    const thread = threadOf(row.key)
    const message = `Thread '${thread}' is left out of the list: ${error.message}`
    store.warn(new CheckpointerError(error.code, message, { thread, cause: error }))
    return undefined
  }
}
