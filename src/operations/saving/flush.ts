import { DATABASE_PARTITION, FLUSH_KEY } from '../../storage/keys.ts'
import { seal } from '../rows/seal.ts'
import type { Store } from '../store/store.ts'

/** One durable commit: an engine syncs its log as a whole, and all that was committed before is durable with it. */
export async function flush({ storage }: Store): Promise<void> {
  const head = seal(DATABASE_PARTITION, 'meta', FLUSH_KEY, { at: Date.now() })
  await storage.commit(DATABASE_PARTITION, { puts: [{ table: 'meta', key: FLUSH_KEY, head }] })
}
