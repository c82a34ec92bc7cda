/** Whether anybody has the lock of a thread. */
export type IsLocked = (thread: string) => Promise<boolean>

/** Names are any text, so they stand apart. */
export const lockName = (database: string, thread: string): string =>
  JSON.stringify(['forkpoint', 'lease', database, thread])

export function locksOf(database: string, locks: LockManager): IsLocked {
  let asked: Promise<ReadonlySet<string | undefined>> | undefined
  /** One question for all that is asked in one go: the answer holds all locks of the site. */
  const heldLocks = (): Promise<ReadonlySet<string | undefined>> => {
    asked ??= Promise.resolve().then(async () => {
      asked = undefined
      const { held = [] } = await locks.query()
      return new Set(held.map(({ name }) => name))
    })
    return asked
  }
  return async (thread) => (await heldLocks()).has(lockName(database, thread))
}
