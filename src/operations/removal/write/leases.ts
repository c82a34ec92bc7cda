import { allRows, beatKey, leaseKey, metaOfFamily, unescapeId } from '../../../storage/keys.ts'
import { TABLES, type Batch } from '../../../storage/storage.ts'
import type { Store } from '../../store/store.ts'
import type { RemovalPlan } from '../plan.ts'

/**
 * The leases of deleted threads go with them: who held one then learns of the deletion, and does not begin the
 * thread anew. Save for the one under which they are deleted: its runner goes on.
 */
export function dropLeases({ fence }: Store, { losses, damaged = [] }: RemovalPlan): Batch {
  const threads = new Set([
    ...losses.map(({ thread }) => thread.facts.thread),
    ...damaged.map(({ key }) => unescapeId(key[0] as string)),
  ])
  if (fence) threads.delete(fence.thread)
  return {
    deletes: [...threads].flatMap((thread) =>
      [leaseKey(thread), beatKey(thread)].map((key) => ({ table: 'meta', key }) as const),
    ),
  }
}

/** All that a partition holds when nobody lives there any more. A lease may be held for who is yet to come. */
export const wiped = (): NonNullable<Batch['deleteRanges']> =>
  TABLES.flatMap((table) =>
    (table === 'meta' ? metaOfFamily() : [allRows()]).map((range) => ({ table, ...range })),
  )
