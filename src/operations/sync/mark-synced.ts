import { familyQuery, openFamily, renewFamily } from '../store/family.ts'
import type { Store } from '../store/store.ts'

/** From here on what is removed in this family is written down, in the same moment in which others may learn of it. */
export async function markSynced(store: Store, partition: string): Promise<void> {
  for (;;) {
    const [rows] = await store.storage.read(partition, [familyQuery])
    const family = openFamily(partition, rows)
    if (family.isSynced) return
    const { check, put } = renewFamily(partition, { ...family, isSynced: true })
    if ((await store.storage.commit(partition, { checks: [check], puts: [put] })).ok) return
  }
}
