interface Surroundings {
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * Does a work when it is asked for: once at a time, and once more when it was asked for meanwhile. What fails is tried
 * once more before that is told: a database that was taken away is told once, and is there again for the next call.
 */
export function soon(
  work: () => Promise<void>,
  pause: number,
  { signal, onError }: Surroundings,
): () => void {
  let isDue = false
  let isGoing = false
  const go = async (): Promise<void> => {
    isGoing = true
    while (isDue && !signal.aborted) {
      isDue = false
      const begun = performance.now()
      try {
        await work().catch(() => work())
      } catch (error) {
        if (!signal.aborted) onError(error)
      }
      // What takes long is not done all the time.
      await rest(pause + 2 * (performance.now() - begun))
    }
    isGoing = false
  }
  return () => {
    isDue = true
    if (!isGoing) void go()
  }
}

const rest = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds))
