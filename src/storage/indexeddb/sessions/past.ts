import type { IDBPObjectStore } from 'idb'
import type { SessionReport } from '../../storage.ts'
import type { Handle } from '../connection.ts'
import { livingOf } from './life.ts'
import { readInTime, SECONDS_TO_OPEN } from '../patience.ts'
import type { Schema } from '../schema.ts'
import { beginOn } from '../transaction.ts'

type SessionStore = IDBPObjectStore<Schema, 'session'[], 'session', 'readonly'>

/** Sessions before this one that have left rows behind, as found when the database was opened. */
export interface Past extends SessionReport {
  /** Those whose rows may be deleted. */
  readonly dead: readonly string[]
  /** Those that had not come to rest. */
  readonly marked: readonly string[]
}

/** A living session without a lock puts its marker again every 15 s, or every minute when its tab is hidden. */
const SILENCE = 150_000

/**
 * Where there are Web Locks, a session that holds one is alive. Elsewhere, and where a page is refused them,
 * any other one may have been killed, which at worst costs a scrub too many; but it may live as well: so its marker stays
 * until it is old, and nobody is told that it has lost something.
 */
export async function findPast(handle: Handle, own: string): Promise<Past> {
  const { db, dataLoss } = handle
  const read = () => reading(handle, (store) => store.getAllKeys())
  const others = (keys: Awaited<ReturnType<typeof read>>): string[] =>
    [...new Set(keys.map(([session]) => session))].filter((session) => session !== own)
  const seen = others(await read())
  if (seen.length === 0) return { dead: [], marked: [], unclean: false, owing: [], ...told(dataLoss) }
  // One that comes to rest meanwhile takes its marker away before its lock.
  const alive = await livingOf(db.name, seen)
  const keys = await read()
  const left = others(keys)
  const killed = seen.filter((session) => left.includes(session) && !alive?.includes(session))
  const markers = await reading(handle, (store) =>
    Promise.all(killed.map((session) => store.get([session, 0]))),
  )
  const unclean = markers.filter((marker) => marker !== undefined)
  // The clock may have been set back since.
  const isSilent = (at = 0): boolean => Math.abs(Date.now() - at) > SILENCE
  return {
    dead: killed.filter((_, i) => alive !== undefined || isSilent(markers[i]?.at)),
    marked: unclean.map(({ session }) => session),
    unclean: unclean.length > 0,
    // That something is missing is said only of one that is known to have ended.
    owing: alive ? unclean.filter((marker) => marker.owes).map(({ session }) => session) : [],
    ...told(dataLoss),
  }
}

/** Of sessions that cannot be read. What the engine has said of the opening was read with it. */
export const worstPast = ({ dataLoss }: Handle): Past => ({
  dead: [],
  marked: [],
  unclean: true,
  owing: [],
  ...told(dataLoss),
})

/** Every write holds this store too: who stands still in the midst of one is not waited for. */
async function reading<T>(handle: Handle, read: (store: SessionStore) => Promise<T>): Promise<T> {
  const { tx } = await beginOn(handle, ['session'], 'readonly')
  return readInTime(tx, read(tx.objectStore('session')), SECONDS_TO_OPEN)
}

const told = (dataLoss: string | undefined): Pick<SessionReport, 'dataLoss'> =>
  dataLoss === undefined ? {} : { dataLoss }

/** The same, after these have paid. One that ended in order has left nothing to be scrubbed for either. */
export function withoutDebts(past: Past, settled: readonly string[], inOrder: boolean): Past {
  const still = (sessions: readonly string[]) => sessions.filter((session) => !settled.includes(session))
  const owing = still(past.owing)
  if (!inOrder) return { ...past, owing }
  const marked = still(past.marked)
  return { ...past, dead: still(past.dead), marked, owing, unclean: marked.length > 0 }
}
