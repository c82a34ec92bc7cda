import { onAbort } from '../../../platform/on-abort.ts'
import type { Reading } from './source.ts'

export interface Stoppable<Chunk> {
  next(): Promise<IteratorResult<Chunk, unknown>>
  /** Listens to the signal no more. */
  release(): void
}

/**
 * Chunks until the signal is aborted; then its reason at once, whatever the source does. One listener serves them
 * all: to race each chunk with a promise that lives as long as the stream would keep something of each.
 */
export function stoppable<Chunk>(reading: Reading<Chunk>, signal: AbortSignal): Stoppable<Chunk> {
  let stop: ((reason: unknown) => void) | undefined
  const release = onAbort(signal, () => stop?.(signal.reason))
  return {
    next: () =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        stop = reject
        Promise.resolve(reading.next()).then(resolve, reject)
      }),
    release,
  }
}
