import { CheckpointerError } from '../../errors.ts'

const TRIES = 3

/**
 * Makes a call again of which nobody knows whether it was made: a worker was lost, or the engine broke off. Only for
 * what changes nothing when it is made twice.
 */
export async function untilKnown<T>(call: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++)
    try {
      return await call()
    } catch (error) {
      const isOpen =
        CheckpointerError.is(error, 'WORKER_LOST') ||
        (CheckpointerError.is(error) && error.outcome === 'unknown')
      if (!isOpen || tried === TRIES) throw error
    }
}
