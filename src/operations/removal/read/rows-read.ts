import { plain, type Store } from '../../store/store.ts'
import type { FamilyRow } from '../../store/thread-cache.ts'
import { LaneRows } from './lane-rows.ts'

interface RowsRead {
  readonly partition: string
  /** Of the family's row: while it is this one, nobody has removed anything since. */
  readonly version: string
  readonly rows: LaneRows
}

/** A long removal goes on where its last part stopped, and one that lost a race where it stood. */
const left = new WeakMap<Store, RowsRead>()

/** What the last removal has read, if that still holds, for one to work with alone; else nothing yet. */
export async function takeRows(store: Store, partition: string, { version }: FamilyRow): Promise<LaneRows> {
  const own = plain(store)
  const known = left.get(own)
  left.delete(own)
  if (known?.partition !== partition || known.version !== version) return new LaneRows(own, partition)
  await known.rows.catchUp()
  return known.rows
}

export function leaveRows(store: Store, partition: string, { version }: FamilyRow, rows: LaneRows): void {
  if (version !== undefined) left.set(plain(store), { partition, version, rows })
}
