import { CheckpointerError } from '../../errors.ts'

/** What was given, as it is now: the caller may change it while something else is waited for. */
export function taken<T>(what: string, value: T): T {
  try {
    return structuredClone(value)
  } catch (cause) {
    throw new CheckpointerError('INVALID', `${what} cannot be stored: it holds a function or the like.`, {
      cause,
    })
  }
}
