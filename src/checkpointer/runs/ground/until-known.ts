import { CheckpointerError } from '../../../errors.ts'

const TRIES = 3

/**
 * Makes a call again of which nobody knows whether it was made: a worker was lost, or the engine broke off. Only for
 * what changes nothing when it is made twice. `unsure` is what became of the try before.
 */
export async function untilKnown<T>(call: (unsure: CheckpointerError | undefined) => Promise<T>): Promise<T> {
  let unsure: CheckpointerError | undefined
  for (let tried = 1; ; tried++)
    try {
      return await call(unsure)
    } catch (error) {
      if (!isUnsure(error) || tried === TRIES) throw error
      unsure = error
    }
}

const isUnsure = (error: unknown): error is CheckpointerError =>
  CheckpointerError.is(error, 'WORKER_LOST') || (CheckpointerError.is(error) && error.outcome === 'unknown')
