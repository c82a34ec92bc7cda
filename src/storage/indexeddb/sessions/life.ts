import { holdLock, locksHere } from '../../../platform/locks.ts'

/** Milliseconds between two looks at those that are about to end, and how many looks. */
const LOOK = 50
const LOOKS = 20

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

/** Which of these are not seen to end within a second; nothing where that cannot be seen. */
export async function outliving(
  database: string,
  sessions: readonly string[],
): Promise<readonly string[] | undefined> {
  let living = sessions
  for (let looks = 0; living.length > 0 && looks < LOOKS; looks++) {
    if (looks > 0) await new Promise((resolve) => setTimeout(resolve, LOOK))
    const seen = await livingOf(database, living)
    if (!seen) return undefined
    living = seen
  }
  return living
}
