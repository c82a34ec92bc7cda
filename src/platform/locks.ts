/** The browser's locks, which reach over all tabs and workers of a site. There are none over plain http. */
export const locksHere = (): LockManager | undefined =>
  (globalThis.navigator as Partial<Navigator> | undefined)?.locks

/** Resolves when the lock is held, with what lets go of it; with nothing where it is not to be had. */
export async function holdLock(
  name: string,
  options: Pick<LockOptions, 'signal' | 'ifAvailable'> = {},
): Promise<(() => void) | undefined> {
  const locks = locksHere()
  if (!locks) return undefined
  return new Promise((resolve) => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      if (lock) return new Promise((letGo) => resolve(letGo))
      resolve(undefined)
      return undefined
    }
    // Some origins are refused all locks.
    locks.request(name, options, hold).catch(() => resolve(undefined))
  })
}
