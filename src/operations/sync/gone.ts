import type { SyncGone, SyncGoneRequest } from '../host.ts'
import type { GoneRow } from '../rows/gone-row.ts'
import { readGone } from '../store/gone.ts'
import type { Store } from '../store/store.ts'
import { heldOf } from './held.ts'

/** The removals that others are to hear of. */
export const goneOf = async (store: Store, thread: string): Promise<readonly GoneRow[]> =>
  (await readGone(store, thread)).filter(({ isOwn }) => !isOwn)

/** What is there all the same was made anew since, or came back from another store. */
export async function syncGone(
  store: Store,
  { thread, names }: SyncGoneRequest,
): Promise<readonly SyncGone[]> {
  const asked = new Set(names)
  const told: SyncGone[] = []
  for (const { name, saves } of await goneOf(store, thread)) {
    if (!asked.has(name)) continue
    const there = await heldOf(store, thread, saves)
    const left = saves.filter((_, i) => there[i] !== 'same')
    if (left.length > 0) told.push({ name, saves: left })
  }
  return told
}
