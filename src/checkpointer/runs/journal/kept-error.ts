import { CheckpointerError, type ErrorCode } from '../../../errors.ts'

/** A value cannot be stored. */
export const isRefused = (error: unknown): boolean => CheckpointerError.is(error, 'INVALID')

/** What can always be stored of what was thrown: its name and what it says. */
export function plainError(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(textOf(thrown))
  const plain = new Error(textOf(thrown.message))
  plain.name = textOf(thrown.name)
  return plain
}

/** An error of this package is one again when it comes out of the journal. */
export function revived(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'CheckpointerError' || !('code' in error)) return error
  const { name: _name, code, ...about } = { ...error } as Record<string, unknown>
  const details = { ...about, ...(error.cause === undefined ? {} : { cause: error.cause }) }
  return new CheckpointerError(code as ErrorCode, error.message, details)
}

const MOST_WORDS = 300

/** An error in a few words, for people. */
export const inWords = (thrown: unknown): string => {
  const { name, message } = plainError(thrown)
  return `${name}: ${message}`.slice(0, MOST_WORDS)
}

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'something that cannot be shown'
  }
}
