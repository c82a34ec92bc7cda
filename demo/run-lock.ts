/** Of all tabs, one runs a thread at a time. The browser gives the lock back when a tab goes away. */

const PATIENCE_MS = 1000

// Absent where the page is not served securely.
const locks = navigator.locks as LockManager | undefined
const nameOf = (thread: string): string => `forkpoint-demo:${thread}`

/** Does the work while no other tab does; `undefined` when one keeps the lock longer than a reload would. */
export async function alone<T>(thread: string, work: () => Promise<T>): Promise<T | undefined> {
  if (!locks) return work()
  let began = false
  try {
    return await locks.request(nameOf(thread), { signal: AbortSignal.timeout(PATIENCE_MS) }, () => {
      began = true
      return work()
    })
  } catch (error) {
    if (began) throw error
    return undefined
  }
}

export async function isTaken(thread: string): Promise<boolean> {
  const { held = [] } = (await locks?.query()) ?? {}
  return held.some(({ name, mode }) => name === nameOf(thread) && mode === 'exclusive')
}

/** Resolves when nobody runs the thread any more. */
export async function whenFree(thread: string): Promise<void> {
  await locks?.request(nameOf(thread), { mode: 'shared' }, () => {})
}
