import { onAbort } from '../platform/on-abort.ts'
import { unref } from '../platform/unref.ts'

/** Resolves after so long; rejects with the signal's reason as soon as it is aborted. */
export function pause(
  ms: number,
  signal: AbortSignal | undefined,
  /** Nobody waits for what comes after it: in Node it does not keep the process alive. */
  isIdle = false,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      leave?.()
      resolve()
    }, ms)
    if (isIdle) unref(timer)
    const leave =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
  })
}
