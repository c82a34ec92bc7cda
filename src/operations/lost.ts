import { DATABASE_PARTITION, lossKey, lossRows } from '../storage/keys.ts'
import type { Row } from '../storage/storage.ts'
import type { LossRecord, VerifyReply } from './host.ts'
import { seal, unseal } from './rows/seal.ts'
import { unlessDamaged, type Store } from './store.ts'

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

const readLosses = async (store: LossStore): Promise<readonly Row[]> =>
  (await store.storage.read(DATABASE_PARTITION, [{ table: 'meta', ...lossRows }]))[0] ?? []

/** What `verify` reports. A damaged record is reported as a damaged row. */
export async function lossProblems(store: LossStore): Promise<VerifyReply['problems']> {
  return (await readLosses(store)).flatMap((row) => {
    const record = unlessDamaged(() => unseal(DATABASE_PARTITION, 'meta', row) as LossRecord)
    if (!record) return []
    const [head, ...others] = record.loss.heads
    const about = head && others.length === 0 ? { thread: head.thread } : {}
    return { ...about, problem: record.message }
  })
}

/** `verify` has nothing more to say of these. Gives what it would have said. */
export async function acknowledgeLosses(store: LossStore): Promise<VerifyReply['problems']> {
  const problems = await lossProblems(store)
  await store.storage.commit(DATABASE_PARTITION, { deleteRanges: [{ table: 'meta', ...lossRows }] })
  return problems
}
