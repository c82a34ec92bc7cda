import { CheckpointerError } from '../../errors.ts'
import { leaseKey } from '../../storage/keys.ts'
import type { Batch } from '../../storage/storage.ts'
import type { OfThread } from '../host.ts'
import type { Store } from './store.ts'
import { partitionFor } from './threads.ts'

/**
 * Work whose commits check, when it is asked for under a lease, that the lease's row is still the same. So a tab that
 * slept, and was replaced meanwhile, writes nothing, whatever it had sent on its way.
 */
export async function underLease<T>(
  store: Store,
  { thread, lease }: OfThread,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  if (lease === undefined) return work(store)
  const check = { table: 'meta', key: leaseKey(thread), version: lease } as const
  const fenced: Store = { ...store, fence: { thread, check, store } }
  try {
    return await work(fenced)
  } catch (error) {
    // What it was refused for is the other runner's doing, as a rule: then that is what must be told.
    if (CheckpointerError.is(error, 'CONFLICT') || CheckpointerError.is(error, 'NOT_FOUND'))
      await checkFence(fenced, await partitionFor(store, thread))
    throw error
  }
}

/** The batch with the check of the lease. */
export const withFence = ({ fence }: Pick<Store, 'fence'>, batch: Batch): Batch =>
  fence ? { ...batch, checks: [...(batch.checks ?? []), fence.check] } : batch

/** Refuses with `LEASE_LOST` when the lease is another's, or nobody's. */
export async function checkFence({ storage, fence }: Store, partition: string): Promise<void> {
  if (!fence) return
  const { table, key, version } = fence.check
  const [rows] = await storage.read(partition, [{ table, keys: [key] }])
  if (rows?.[0]?.version === version) return
  throw new CheckpointerError(
    'LEASE_LOST',
    `The lease of thread '${fence.thread}' was taken over by another runner, or went with the thread. Nothing was written.`,
    { thread: fence.thread },
  )
}
