import { CheckpointerError } from '../../errors.ts'
import { threadKey } from '../../storage/keys.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Place } from '../host.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import type { Store } from './store.ts'
import { readThread } from './threads.ts'
import { ifDamaged } from './unread.ts'

/** A thread's row is not as it was last seen from here. No damage: so nobody who passes over damage may pass over it. */
class Changed extends Error {}

function ifChangedOrDamaged(error: unknown): undefined {
  return error instanceof Changed ? undefined : ifDamaged(error)
}

/** What rows are read through. */
export interface Rows {
  readonly storage: Pick<Storage, 'read'>
}

/**
 * Reads a thread's row, and by it other rows, all of them through what is given. First by the row as last seen from here, which
 * every read sees again beside what it leads to: a round trip less, when nobody has changed it since.
 */
export async function readPlace<T>(
  store: Store,
  place: Place,
  read: (thread: ThreadRow, rows: Rows) => Promise<T>,
): Promise<T | undefined> {
  const seen = store.threads.get(place)
  const own = { table: 'threads', keys: [threadKey(place.thread, place.namespace)] } as const
  const readBeside: Storage['read'] = async (partition, queries) => {
    const [rows, ...found] = await store.storage.read(partition, [own, ...queries])
    // What it leads to may be gone.
    if (rows?.[0]?.version !== seen?.version) throw new Changed()
    return found
  }
  const found = seen && (await read(seen, { storage: { read: readBeside } }).catch(ifChangedOrDamaged))
  return found ?? readWhole(store, place, (thread) => read(thread, store))
}

/** How often a reading starts over because another writer changed the thread between its reads. */
const TRIES = 5

/**
 * Reads a thread's row, and by it other rows. A removal between the two looks like damage; damage is still there
 * when nothing has changed meanwhile.
 */
export async function readWhole<T>(
  store: Store,
  place: Place,
  read: (thread: ThreadRow) => Promise<T>,
  seemsDamaged: (found: T) => boolean = () => false,
): Promise<T | undefined> {
  for (let tried = 1; ; tried++) {
    const thread = await readThread(store, place)
    if (!thread) return undefined
    const isSure = async (): Promise<boolean> =>
      tried === TRIES || (await readThread(store, place))?.version === thread.version
    try {
      const found = await read(thread)
      if (!seemsDamaged(found) || (await isSure())) return found
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT') || (await isSure())) throw error
    }
  }
}
