import { CheckpointerError } from '../../errors.ts'
import { DATABASE_PARTITION, deletedKey, deletedRows } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import { openMeta } from '../rows/meta-row.ts'
import { seal } from '../rows/seal.ts'
import type { Store } from './store.ts'
import { unlessDamaged } from './unread.ts'

/**
 * Which threads were deleted on purpose, the latest of them. Whoever remembers a head of one, in another tab or
 * from before a crash, would otherwise take it for lost. The deletion cannot say so itself: it empties partitions.
 */
const MOST_KEPT = 500
const AT_ONCE = MOST_KEPT * 2
/** The oldest are looked for once in so many deletions. */
const EVERY = 50

const facts = (row: Row): { readonly at: number } | undefined =>
  unlessDamaged(() => openMeta('deleted', DATABASE_PARTITION, row))

/**
 * Written before the thread goes: one that is still there after all does no harm. Not dated before its last save, also
 * where the clock was set back since.
 */
export async function markDeleted(store: Store, thread: string, updatedAt: number): Promise<void> {
  const key = deletedKey(thread)
  const head = seal(DATABASE_PARTITION, 'meta', key, { at: Math.max(Date.now(), updatedAt) })
  try {
    await store.storage.commit(DATABASE_PARTITION, { puts: [{ table: 'meta', key, head }] })
  } catch (error) {
    // On a full disk, too, a thread can be deleted.
    if (!CheckpointerError.is(error, 'QUOTA')) throw error
  }
  if (Math.random() * EVERY < 1) store.background(() => forgetOldest(store))
}

/** When this thread was deleted, if that is remembered. */
export async function deletedAt(store: Store, thread: string): Promise<number | undefined> {
  const query = { table: 'meta', keys: [deletedKey(thread)] } as const
  const [rows = []] = await store.storage.read(DATABASE_PARTITION, [query])
  const row = rows[0]
  return row && facts(row)?.at
}

async function forgetOldest(store: Store): Promise<void> {
  const query = { table: 'meta', ...deletedRows, limit: AT_ONCE } as const
  const [rows = []] = await store.storage.read(DATABASE_PARTITION, [query])
  const latestFirst = rows
    .map((row) => ({ key: row.key, at: facts(row)?.at ?? 0 }))
    .sort((a, b) => b.at - a.at)
  const old = latestFirst.slice(MOST_KEPT)
  if (old.length === 0) return
  await store.storage.commit(DATABASE_PARTITION, { deletes: old.map(({ key }) => ({ table: 'meta', key })) })
}
