import type { SessionReport } from '../storage.ts'
import type { Handle } from './connection.ts'
import { livingOf } from './life.ts'

/** Sessions before this one that have left rows behind, as found when the database was opened. */
export interface Past extends SessionReport {
  readonly dead: readonly string[]
}

/**
 * Where there are Web Locks, a session that holds one is alive. Elsewhere every other one counts as dead, which at
 * worst costs a scrub too many.
 */
export async function findPast({ db, dataLoss }: Handle, own: string): Promise<Past> {
  const read = () => db.transaction(['session'], 'readonly').objectStore('session').getAllKeys()
  const others = (keys: Awaited<ReturnType<typeof read>>): string[] =>
    [...new Set(keys.map(([session]) => session))].filter((session) => session !== own)
  const seen = others(await read())
  if (seen.length === 0) return { dead: [], unclean: false, wasAsync: false, ...told(dataLoss) }
  // One that comes to rest meanwhile takes its marker away before its lock.
  const alive = await livingOf(db.name, seen)
  const keys = await read()
  const left = others(keys)
  const dead = seen.filter((session) => left.includes(session) && !alive.includes(session))
  const store = db.transaction(['session'], 'readonly').objectStore('session')
  const markers = await Promise.all(dead.map((session) => store.get([session, 0])))
  const unclean = markers.filter((marker) => marker !== undefined)
  return {
    dead,
    unclean: unclean.length > 0,
    wasAsync: unclean.some((marker) => marker.owes),
    ...told(dataLoss),
  }
}

const told = (dataLoss: string | undefined): Pick<SessionReport, 'dataLoss'> =>
  dataLoss === undefined ? {} : { dataLoss }
