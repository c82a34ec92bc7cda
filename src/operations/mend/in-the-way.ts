import { threadKey } from '../../storage/keys.ts'
import { openThread } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import type { Finding } from '../verify/finding.ts'
import { readingOf } from '../verify/look.ts'

/**
 * Partitions in which a row that cannot be read stands under the name of a thread that is to be made again here, as
 * when the partition was what was damaged of it. They are mended first, or the thread would have to be named anew.
 */
export async function inTheWay(store: Store, findings: readonly Finding[]): Promise<string[]> {
  const found = new Set<string>()
  for (const { kind, table, partition, thread, namespace } of findings) {
    if (kind !== 'missing' || table !== 'threads' || thread === undefined || namespace === undefined) continue
    const there = await store.storage.locate(threadKey(thread, namespace))
    if (!there || there.partition === partition) continue
    const read = () => openThread(there.partition, there.row)
    if (readingOf(there.partition, 'threads', there.row, read)?.kind === 'damaged') found.add(there.partition)
  }
  return [...found]
}
