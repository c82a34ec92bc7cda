import { holdLock, locksHere } from '../../locks.ts'

/** A session that writes holds a Web Lock, where there are any: that is how others see that it is alive. */
const lockName = (database: string, session: string): string => `${database}:session:${session}`

/** Resolves when the lock is held, with what lets go of it; with nothing where there are no locks. */
export async function showLife(database: string, session: string): Promise<(() => void) | undefined> {
  return holdLock(lockName(database, session))
}

/** Which of these are seen to be alive at this moment; nothing where that cannot be seen. */
export async function livingOf(database: string, sessions: readonly string[]): Promise<string[] | undefined> {
  const seen = await locksHere()
    ?.query()
    .catch(() => undefined)
  if (!seen) return undefined
  const names = new Set(seen.held?.map(({ name }) => name))
  return sessions.filter((session) => names.has(lockName(database, session)))
}
