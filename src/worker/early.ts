import { serving, type WorkerLike } from './start.ts'

/** A worker that was started before anybody could speak to it. */
export interface EarlyWorker {
  /** Gives it, once, if nothing is wrong with it so far; after that, and else, a new one. */
  readonly take: () => WorkerLike
  /** Ends it, if nobody has taken it. */
  readonly end: () => void
}

/**
 * Starts a worker while what speaks to it is still loaded: two requests side by side, in place of one after the other. It
 * says nothing unasked; only its failure could go unheard.
 */
export function startEarly(start: () => WorkerLike): EarlyWorker {
  let early: WorkerLike | undefined
  let ended: WorkerLike | undefined
  const end = (): void => {
    ended = early
    early = undefined
    if (ended && !serving.has(ended)) ended.terminate?.()
  }
  try {
    early = start()
    early.addEventListener('error', end)
  } catch {
    // Whoever takes one is told.
  }
  return {
    take() {
      const taken = early ?? start()
      early = undefined
      // Nobody would ever answer, nor say so a second time.
      if (ended && taken === ended) throw new Error('It has failed: its script could not be loaded.')
      return taken
    },
    end,
  }
}
