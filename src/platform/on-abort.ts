/** Who waits for a signal: those of one share one listener. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls when the signal is aborted, unless the function that it returns was called before. However many wait for one
 * signal, it has one listener: Node takes more than ten for a leak, and says so.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const calls = waiting.get(signal) ?? listen(signal)
  // One of its own, as the same may wait twice.
  const own = (): void => call()
  calls.add(own)
  return () => void calls.delete(own)
}

function listen(signal: AbortSignal): Set<() => void> {
  const calls = new Set<() => void>()
  waiting.set(signal, calls)
  const abort = (): void => calls.forEach((call) => call())
  signal.addEventListener('abort', abort, { once: true })
  return calls
}
