import { blocked, type Claims, type LeaseHost } from './claims.ts'

/** Names are any text, so they stand apart. */
const lockName = (database: string, thread: string): string =>
  JSON.stringify(['forkpoint', 'lease', database, thread])

/**
 * By a lock of the browser's, which goes to the next one at once when its holder goes away, even by a crash. Only a
 * frozen holder keeps it, until it is stolen. The lock says whose turn it is; the row makes it hold for writes.
 */
export function lockClaims(database: string, locks: LockManager, host: LeaseHost): Claims {
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
  return {
    isHeld: async (thread) => (await heldLocks()).has(lockName(database, thread)),
    async claim(thread, { steal, now, signal, onLost }) {
      // Neither of the three goes with another, says the specification.
      const options = steal ? { steal } : now ? { ifAvailable: now } : { signal }
      const unlock = await takeLock(locks, lockName(database, thread), options, onLost)
      if (!unlock) throw blocked(thread)
      const taken = await host.takeLease({ thread, always: true }).catch((error: unknown) => {
        unlock()
        throw error
      })
      if (!('lease' in taken)) {
        unlock()
        throw blocked(thread)
      }
      const { lease, token } = taken
      const held = { thread, lease }
      return {
        lease,
        token,
        // One sign of life, and none to follow: the lock gives them.
        holds: () => host.keepLease({ ...held, every: 0, times: 0 }),
        end: () => host.dropLease(held).finally(unlock),
        abandon: unlock,
      }
    },
  }
}

/** Gives what lets go of the lock; nothing when it is not to be had at once. */
function takeLock(
  locks: LockManager,
  name: string,
  options: LockOptions,
  onLost: () => void,
): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    let unlock = (): void => {}
    const held = new Promise<void>((end) => {
      unlock = end
    })
    let isMine = false
    const run = (lock: Lock | null): Promise<void> | undefined => {
      isMine = lock !== null
      resolve(lock ? unlock : undefined)
      return lock ? held : undefined
    }
    // A lock that is stolen rejects what it was asked with.
    locks.request(name, options, run).catch((error: unknown) => (isMine ? onLost() : reject(error)))
  })
}
