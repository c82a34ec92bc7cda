import { threadOf, threadRows } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import { murmur3 } from '../rows/checksum.ts'
import { openThread } from '../rows/thread-row.ts'
import { readGone } from '../store/gone.ts'
import type { Store } from '../store/store.ts'
import { unlessUnread } from '../store/unread.ts'

/** What is noted of another store holds for that one alone. */
export const storeOf = ({ claim }: Store): string => claim.database ?? ''

/** Of a thread that is there: every change of it puts one of its rows anew. */
export async function stampOf(store: Store, partition: string, root: Row): Promise<string> {
  if (unlessUnread(() => openThread(partition, root))?.facts.others !== true) return root.version
  const [rows = []] = await store.storage.read(partition, [
    { table: 'threads', ...threadRows(threadOf(root.key)) },
  ])
  return sumOf(rows.map(({ version }) => version))
}

/** Of one that is gone: by what was removed from it. */
export async function goneStamp(store: Store, thread: string): Promise<string> {
  const gone = await readGone(store, thread)
  return `gone ${sumOf(gone.map(({ name }) => name))}`
}

/** Of texts without end: a note has to stay small. */
function sumOf(texts: readonly string[]): string {
  const bytes = new TextEncoder().encode(texts.join())
  const [first, second] = [murmur3(bytes, 0), murmur3(bytes, texts.length)].map((sum) => sum.toString(36))
  return `${texts.length}-${first}-${second}`
}
