import { CheckpointerError } from '../errors.ts'
import { threadKey } from '../storage/keys.ts'
import { deletedAt } from './store/deletions.ts'
import type { ReconcileReply, ReconcileRequest, WitnessedHead } from './host.ts'
import { openThread } from './rows/thread-row.ts'
import type { Store } from './store/store.ts'
import { unlessDamaged } from './store/unread.ts'

/** A save that was asked for before a deletion may be committed, and remembered, while that is under way. */
const SLACK = 60_000

/** Compares heads that are remembered outside with what is here. Without heads: only which database it is. */
export async function reconcile(store: Store, { heads }: ReconcileRequest): Promise<ReconcileReply> {
  if (heads.length === 0) {
    const session = await store.claim.session()
    return { ...identity(store), ...(session ? { session } : {}), found: [] }
  }
  const asked = identity(store)
  const found = await Promise.all(heads.map((head) => compare(store, head)))
  // What is in another database is no answer.
  if (store.claim.isDoubted || store.claim.database !== asked.database)
    throw new CheckpointerError('CLOSED', 'The database was taken away meanwhile.')
  return { ...asked, found }
}

const identity = ({ claim: { database } }: Store): Pick<ReconcileReply, 'database'> =>
  database === undefined ? {} : { database }

async function compare(store: Store, head: WitnessedHead): Promise<ReconcileReply['found'][number]> {
  const row = await store.storage.locate(threadKey(head.thread, head.namespace))
  const thread = row && unlessDamaged(() => openThread(row.partition, row.row))
  // Damage is told where the row is read.
  if (row && !thread) return { seq: head.seq, isLost: false }
  // The head itself may have been deleted; the next seq never goes back.
  const seq = thread && thread.facts.next - 1
  if (seq !== undefined && seq >= head.seq) return { seq, isLost: false }
  const deleted = await deletedAt(store, head.thread)
  const isLost = deleted === undefined || head.at > deleted + SLACK
  return { ...(seq === undefined ? {} : { seq }), isLost }
}
