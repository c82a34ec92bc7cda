import { bytesOf, type Row } from '../../storage/storage.ts'
import { everyRow, partitions } from './every-row.ts'
import type { UsageReply } from '../host.ts'
import { isListed, openThread } from '../rows/thread-row.ts'
import type { Store } from '../store.ts'

/** Counts what is stored, by reading all of it. */
export async function usage(store: Store): Promise<UsageReply> {
  let bytes = 0
  let threads = 0
  let checkpoints = 0
  for await (const partition of partitions(store)) {
    for await (const { table, row } of everyRow(store, partition)) {
      bytes += bytesOf(row)
      if (table === 'threads' && countsAsThread(partition, row)) threads++
      if (table === 'checkpoints') checkpoints++
    }
  }
  return { bytes, threads, checkpoints }
}

/** A damaged row is a thread still. */
function countsAsThread(partition: string, row: Row): boolean {
  try {
    return isListed(openThread(partition, row).facts)
  } catch {
    return row.key[1] === ''
  }
}
