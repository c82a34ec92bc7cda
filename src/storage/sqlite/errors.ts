import { CheckpointerError } from '../../errors.ts'

/**
 * What an error says, of whichever library. SQLite's own words are the one thing that all of them pass on: some give its
 * codes as text, some as a number, some not at all.
 */
function wordsOf(error: unknown): string {
  const { message, code, cause } = (error ?? {}) as { message?: unknown; code?: unknown; cause?: unknown }
  const below = cause === undefined || cause === error ? '' : wordsOf(cause)
  return [code, message ?? error, below].map(String).join(' ')
}

/** The guard's check, an id that another row has, a thread that lives in another partition. */
const CONFLICT =
  /forkpoint_conflict|UNIQUE constraint failed: .*forkpoint_checkpoints|NOT NULL constraint failed: forkpoint_(checkpoints|threads)\.version/

export const isConflict = (error: unknown): boolean => CONFLICT.test(wordsOf(error))

export const isNoTable = (error: unknown): boolean => /no such table/i.test(wordsOf(error))

/** Somebody else writes. Nothing was done, and it may be tried again. */
export const isBusy = (error: unknown): boolean =>
  /SQLITE_BUSY|SQLITE_LOCKED|database (table |schema )?is locked|DB is overloaded/i.test(wordsOf(error))

/** Nobody can say whether a call that failed was carried out, unless the engine itself has refused it. */
export const isUnsure = (error: unknown): boolean =>
  !CheckpointerError.is(error) && !/SQLITE_|constraint failed|syntax error|no such/i.test(wordsOf(error))

/** More than the engine gives in one answer, or in the time that it has for one. */
export const isTooMuch = (error: unknown): boolean => /RESPONSE_TOO_LARGE|STREAM_EXPIRED/.test(wordsOf(error))

const MEANINGS = [
  {
    said: /SQLITE_FULL|disk is full/i,
    code: 'QUOTA',
    text: 'There is no room left for the database. Prune or delete threads, or make room. Nothing was written.',
  },
  {
    said: /SQLITE_TOOBIG|too big|RESPONSE_TOO_LARGE/i,
    code: 'TOO_LARGE',
    text: 'A row is larger than this engine takes.',
  },
  {
    said: /STREAM_EXPIRED/,
    code: 'FAILED',
    text: 'The answer took longer than the server has time for. Ask from nearer, or over a faster way; `forkpoint/server` may stand beside the database.',
  },
  {
    said: /SQLITE_CORRUPT|SQLITE_NOTADB|image is malformed|is not a database/i,
    code: 'CORRUPT',
    text: 'The file of the database is damaged. Restore a backup, or save what `sqlite3 .recover` finds.',
  },
  {
    said: /database is not open|connection is not open|has been finalized|closed database|database has closed|CLIENT_CLOSED/i,
    code: 'CLOSED',
    text: 'The connection that this storage was given is closed: open one, and make a storage with it.',
  },
  {
    said: /is locked|SQLITE_BUSY|SQLITE_LOCKED|DB is overloaded/i,
    code: 'BLOCKED',
    text: 'Others have written to the database all the time, or hold it. Nothing was written; try again.',
  },
] as const

export function coded(error: unknown): CheckpointerError {
  if (CheckpointerError.is(error)) return error
  const words = wordsOf(error)
  const meaning = MEANINGS.find(({ said }) => said.test(words))
  if (!meaning) return new CheckpointerError('FAILED', `SQLite failed: ${String(error)}`, { cause: error })
  return new CheckpointerError(meaning.code, meaning.text, { cause: error, outcome: 'none' })
}

export const unknownOutcome = (error: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `The database has not answered a write, and it may have been carried out or not: ${String(error)}`,
    { cause: error, outcome: 'unknown' },
  )
