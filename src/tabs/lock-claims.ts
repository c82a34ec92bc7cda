import { blocked, type ClaimOptions, type Claims, type LeaseHost } from './claims.ts'
import { lockName, locksOf } from './locks-of.ts'
import { SignsOfLife } from './signs-of-life.ts'
import { PACE, waitForTurn } from './turn.ts'

/**
 * By a lock of the browser's, which goes to the next one at once when its holder goes away, even by a crash. Only a
 * frozen holder keeps it, until it is stolen. The lock says whose turn it is; the row makes it hold for writes. Those
 * whom no lock reaches, as they are of another origin and were let in by a port, give signs of life: they count too.
 */
export function lockClaims(database: string, locks: LockManager, host: LeaseHost, pace = PACE): Claims {
  const isLocked = locksOf(database, locks)
  const locked = true
  const others = new SignsOfLife({ leaseSign: (request) => host.leaseSign({ ...request, locked }) }, pace)
  return {
    isHeld: async (thread, options) => (await isLocked(thread)) || others.areGiven(thread, options),
    async claim(thread, options) {
      const unlock = await takeLock(locks, lockName(database, thread), options)
      if (!unlock) throw blocked(thread)
      const patience = { ...pace, gone: others.lastOfGone(thread), locked }
      const { lease, token } = await waitForTurn(host, thread, options, patience).catch((error: unknown) => {
        unlock()
        throw error
      })
      const held = { thread, lease }
      return {
        lease,
        token,
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
  { steal, now, signal, onLost }: ClaimOptions,
): Promise<(() => void) | undefined> {
  // Neither of the three goes with another, says the specification.
  const options = steal ? { steal } : now ? { ifAvailable: now } : { signal }
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
