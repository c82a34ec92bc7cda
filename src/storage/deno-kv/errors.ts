import { CheckpointerError } from '../../errors.ts'

const MEANINGS = [
  {
    said: /BadResource|resource (id|was)|already closed|database is closed/i,
    code: 'CLOSED',
    text: 'The Deno KV that this storage was given is closed: open one, and make a storage with it.',
  },
  {
    said: /database or disk is full|quota/i,
    code: 'QUOTA',
    text: 'There is no room left for Deno KV. Prune or delete threads, or make room. Nothing was written.',
  },
  {
    said: /too large|too many|exceeds/i,
    code: 'TOO_LARGE',
    text: 'This is more than Deno KV takes in one commit: ids of callers are very long, and there are many of them. Nothing was written.',
  },
  {
    said: /is locked|busy/i,
    code: 'BLOCKED',
    text: 'Others have written to Deno KV all the time, or hold it. Nothing was written; try again.',
  },
] as const

/** What an error of the engine means. It has no codes: its words are what there is. */
export function coded(error: unknown): CheckpointerError {
  if (CheckpointerError.is(error)) return error
  const words = String(error)
  const meaning = MEANINGS.find(({ said }) => said.test(words))
  if (meaning) return new CheckpointerError(meaning.code, meaning.text, { cause: error, outcome: 'none' })
  return new CheckpointerError('FAILED', `Deno KV failed: ${String(error)}`, { cause: error })
}

/** What the engine has refused was not carried out; of anything else nobody can say. */
export const isUnsure = (error: unknown): boolean => coded(error).code === 'FAILED'

export const unknownOutcome = (error: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `Deno KV has not answered a commit, and it may have been carried out or not: ${String(error)}`,
    { cause: error, outcome: 'unknown' },
  )

export const overtaken = (): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    'Others have written to the same threads all the time. Nothing was written; try again.',
    { outcome: 'none' },
  )
