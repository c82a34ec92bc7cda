import { CheckpointerError } from '../../errors.ts'
import { DATABASE_PARTITION, syncedKey } from '../../storage/keys.ts'
import type { SyncNote, SyncNoteRequest, SyncRecallRequest } from '../host.ts'
import { openMeta } from '../rows/meta-row.ts'
import { seal } from '../rows/seal.ts'
import type { Store } from '../store/store.ts'
import { unlessDamaged } from '../store/unread.ts'

/** How far this store has come with others. Only what is lost is done again. */
export async function syncRecall(
  store: Store,
  { of }: SyncRecallRequest,
): Promise<readonly (SyncNote | null)[]> {
  const keys = of.map((each) => syncedKey(each.thread, each.store))
  const [rows = []] = await store.storage.read(DATABASE_PARTITION, [{ table: 'meta', keys }])
  const found = new Map(
    rows.map((row) => [row.key[1], unlessDamaged(() => openMeta('synced', DATABASE_PARTITION, row))]),
  )
  return keys.map((key) => found.get(key[1] as string) ?? null)
}

/** It only saves work: where there is no room for all of it, more is compared when the thread has changed. */
export async function syncNote(store: Store, { thread, store: other, note }: SyncNoteRequest): Promise<void> {
  const key = syncedKey(thread, other)
  const put = async (some: SyncNote): Promise<void> => {
    const head = seal(DATABASE_PARTITION, 'meta', key, some)
    await store.storage.commit(DATABASE_PARTITION, {
      puts: [{ table: 'meta', key, head }],
      relaxed: 'unowed',
    })
  }
  try {
    await put(note)
  } catch (error) {
    if (!CheckpointerError.is(error, 'TOO_LARGE')) throw error
    await put({ ...note, places: [] })
  }
}
