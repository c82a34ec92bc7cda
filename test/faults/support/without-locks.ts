/** Who is dead holds none; these lives are all in one process. */
export async function withoutLocks<T>(work: () => Promise<T>): Promise<T> {
  const { locks } = navigator
  const set = (value: LockManager | undefined): void =>
    void Object.defineProperty(navigator, 'locks', { value, configurable: true })
  set(undefined)
  try {
    return await work()
  } finally {
    set(locks)
  }
}
