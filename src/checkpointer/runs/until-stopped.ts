/** How long a loop has to end by itself when its run is stopped. After that nothing it does is stored any more. */
const GRACE = 500

/** What the work comes to. Rejects with the signal's reason when it is aborted and the work goes on. */
export async function untilStopped<T>(
  work: () => T | PromiseLike<T>,
  signal: AbortSignal,
): Promise<Awaited<T>> {
  const working = new Promise<Awaited<T>>((resolve) => resolve(work() as Awaited<T>))
  let timer: ReturnType<typeof setTimeout> | undefined
  let onAbort = (): void => {}
  const stopped = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), GRACE)
    }
  })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([working, stopped])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
