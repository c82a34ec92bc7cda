import type { Problem } from '../checkpoint.ts'
import { DATABASE_PARTITION, lossKey } from '../storage/keys.ts'
import type { Row } from '../storage/storage.ts'
import type { LossRecord } from './host.ts'
import { openMeta } from './rows/meta-row.ts'
import { seal } from './rows/seal.ts'
import type { Store } from './store/store.ts'

type LossStore = Pick<Store, 'storage'>

/**
 * Keeps what was found missing, so that `verify` says it until it is acknowledged. Of a whole database it is said
 * once, however many tabs have missed it.
 */
export async function recordLoss(store: LossStore, record: LossRecord): Promise<void> {
  const { expected, found } = record.loss
  const key = lossKey(expected.database === found.database ? String(record.at) : expected.database)
  const head = seal(DATABASE_PARTITION, 'meta', key, record)
  await store.storage.commit(DATABASE_PARTITION, { puts: [{ table: 'meta', key, head }] })
}

/** What `verify` says of such a row. */
export function problemOfLoss(partition: string, row: Row): Problem {
  const { loss, message } = openMeta('losses', partition, row)
  const [head, ...others] = loss.heads
  const about = head && others.length === 0 ? { thread: head.thread } : {}
  return { kind: 'loss', table: 'meta', ...about, problem: message }
}
