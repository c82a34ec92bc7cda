import { CheckpointerError, type ErrorCode, type ErrorDetails, type Loss } from '../errors.ts'
import { toWire, type WireError } from '../worker/wire.ts'

export interface Refusal {
  readonly status: number
  readonly error: Omit<WireError, 'cause'>
  /** What is for the log: the words of it were kept from the caller. */
  readonly failure?: CheckpointerError
}

/** Callers' own mistakes, and what they may not do: of no matter to the log. All else says 200, with the error in it. */
const STATUS: Partial<Record<ErrorCode, number>> = { FORBIDDEN: 403, INVALID: 400, TOO_LARGE: 413 }

/** What a caller is told of a call that failed; `named` are the threads that it has named, and was allowed. */
export function refusalOf(error: unknown, named: ReadonlySet<string>): Refusal {
  if (!CheckpointerError.is(error)) {
    const failure = new CheckpointerError('FAILED', 'A call could not be answered.', { cause: error })
    return { status: 500, error: shown(withoutWords('FAILED', {})), failure }
  }
  if (isTold(error)) return { status: STATUS[error.code] ?? 200, error: shown(error) }
  return { status: 200, error: shown(withoutWords(error.code, detailsFor(error, named))), failure: error }
}

/**
 * What an engine or a function of the app's has thrown may name files, keys or other people's data: it is for the log. What
 * is damaged is told in words of our own.
 */
function isTold({ code, cause }: CheckpointerError): boolean {
  if (code in STATUS || code === 'CORRUPT') return true
  return cause === undefined || (CheckpointerError.is(cause) && isTold(cause))
}

const withoutWords = (code: ErrorCode, details: ErrorDetails): CheckpointerError =>
  new CheckpointerError(code, 'The server failed. Its log says why.', details)

/** What it is about, as far as that is the caller's to know. */
function detailsFor(error: CheckpointerError, named: ReadonlySet<string>): ErrorDetails {
  const { thread, namespace, seq, path, outcome, usage, loss } = error
  const isOfOthers = thread !== undefined && !named.has(thread)
  return {
    ...(isOfOthers ? {} : { thread, namespace, seq, path }),
    outcome,
    usage,
    ...(loss ? { loss: lossFor(loss, named) } : {}),
  } as ErrorDetails
}

const lossFor = (loss: Loss, named: ReadonlySet<string>): Loss => ({
  ...loss,
  heads: loss.heads.filter(({ thread }) => named.has(thread)),
})

function shown(error: CheckpointerError): Refusal['error'] {
  const { cause: _, ...told } = toWire(error)
  return told
}
