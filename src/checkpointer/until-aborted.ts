import { onAbort } from '../platform/on-abort.ts'

/** What the work gives, or, as soon as the signal is aborted, its reason. What nobody waits for goes on unheard. */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  let leave = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    // eslint-disable-next-line prefer-promise-reject-errors -- The reason is the caller's own.
    leave = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    leave()
  }
}
