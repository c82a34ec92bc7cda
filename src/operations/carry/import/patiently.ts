import { CheckpointerError } from '../../../errors.ts'
import { randomPause } from '../../../platform/random.ts'

const MOST_TRIES = 3
/** Milliseconds at most before the second try; each further one waits for longer. */
const PAUSE = 100

/** For steps that must not end halfway, and can be taken again: what may be over in a moment is tried a few times. */
export async function patiently<T>(step: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await step()
    } catch (error) {
      if (tried === MOST_TRIES || !mayPass(error)) throw error
    }
    await randomPause(PAUSE * tried)
  }
}

const PASSING = ['FAILED', 'BLOCKED', 'QUOTA'] as const

/** A storage may also reject with what has no code. */
const mayPass = (error: unknown): boolean =>
  !CheckpointerError.is(error) || PASSING.some((code) => error.code === code)
