import { startWorker, type WorkerLike } from './start.ts'

/** A worker that was started before anybody could speak to it. */
export interface EarlyWorker {
  /** Gives it, once, if nothing is wrong with it so far; after that, and else, a new one. */
  readonly take: () => WorkerLike
  /** Ends it, if nobody has taken it. */
  readonly end: () => void
}

/**
 * Starts the worker that comes with the package while what speaks to it is still loaded: two requests side by side, in
 * place of one after the other. It says nothing unasked; only its failure could go unheard.
 */
export function startEarly(): EarlyWorker {
  let early: WorkerLike | undefined
  const end = (): void => {
    early?.terminate?.()
    early = undefined
  }
  try {
    early = startWorker()
    early.addEventListener('error', end)
  } catch {
    // Whoever takes one is told.
  }
  return {
    take() {
      const taken = early ?? startWorker()
      taken.removeEventListener('error', end)
      early = undefined
      return taken
    },
    end,
  }
}
