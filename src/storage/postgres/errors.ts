import { CheckpointerError } from '../../errors.ts'

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly constraint?: unknown
  readonly cause?: unknown
  /** What a driver over HTTP has met itself. */
  readonly sourceError?: unknown
}

const failure = (error: unknown): Failure => (error ?? {}) as Failure

/** The code by which the server has refused, whichever library tells it. A code of the network has no digit. */
function stateOf(error: unknown): string | undefined {
  const { code } = failure(error)
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined
}

function wordsOf(error: unknown): string {
  const { message, code, cause, sourceError } = failure(error)
  const below = [cause, sourceError].filter((each) => each !== undefined && each !== error).map(wordsOf)
  return [code, message ?? error, ...below].map(String).join(' ')
}

/** An id that another row has, or a thread that lives in another family. A failed check is no error. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error)
  if (state === '23505')
    return /forkpoint_checkpoints_id/.test(`${String(failure(error).constraint)} ${wordsOf(error)}`)
  return state === 'FP409'
}

export const isNoTable = (error: unknown): boolean => stateOf(error) === '42P01'

/** Serialization, deadlock, a lock that is held, too many connections, a server that starts: nothing was done. */
export const isBusy = (error: unknown): boolean =>
  ['40001', '40P01', '55P03', '53300', '57P03'].includes(stateOf(error) ?? '')

/**
 * What the libraries say of a call that they did not send, as they were closed before. In their own words: of a
 * connection that was cut in the midst of a call, a runtime says that it "was closed" too.
 */
const CLOSED = /after calling end|PGlite is clos(ed|ing)|is not queryable/
/** No connection came about, or none came free. */
const NO_CONNECTION = /when trying to connect|due to connection timeout/
const NOT_REACHED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/

/** Nobody can say whether a call that failed was carried out, unless the server has refused it or was never reached. */
export function isUnsure(error: unknown): boolean {
  if (CheckpointerError.is(error)) return false
  const state = stateOf(error)
  if (state !== undefined) return /^08|^57P0[12]/.test(state)
  const words = wordsOf(error)
  return ![CLOSED, NO_CONNECTION, NOT_REACHED].some((said) => said.test(words))
}

const MEANINGS = [
  {
    said: /^(53100|53200) /,
    code: 'QUOTA',
    text: 'The server has no room left. Prune or delete threads, or make room. Nothing was written.',
  },
  {
    said: /^54\w{3} |too large|exceeds .*(size|limit)|invalid memory alloc/i,
    code: 'TOO_LARGE',
    text: 'A row or a commit is larger than the server or the way to it takes.',
  },
  {
    said: /^XX00[12] |invalid page|could not read block/i,
    code: 'CORRUPT',
    text: 'The server says that its files are damaged. Restore a backup.',
  },
  {
    said: CLOSED,
    code: 'CLOSED',
    text: 'The connection that this storage was given is closed: open one, and make a storage with it.',
  },
  {
    said: /^(40001|40P01|55P03|53300|57P03) /,
    code: 'BLOCKED',
    text: 'Others have written to the same threads all the time, or the server takes nobody in. Nothing was written; try again.',
  },
  {
    said: /^57014 /,
    code: 'BLOCKED',
    text: 'The server has broken the statement off: it took longer than its statement_timeout, or somebody cancelled it. Nothing was written; allow it more time, or try again.',
  },
  {
    said: /^ .*Query read timeout/,
    code: 'BLOCKED',
    text: 'The server has not answered within the query_timeout of the connection. See that it is reached, allow it more time, or try again.',
  },
  {
    said: NO_CONNECTION,
    code: 'BLOCKED',
    text: 'No connection came free, or came about, in the time that the pool waits for one. Nothing was written; give it more of them (max) or more time (connectionTimeoutMillis), and look for one that is never released.',
  },
  {
    said: /^25006 /,
    code: 'UNSUPPORTED',
    text: 'This server or connection only reads, as a standby does. Nothing was written; give this storage a connection to the primary, without default_transaction_read_only.',
  },
  {
    said: /^42501 /,
    code: 'UNSUPPORTED',
    text: 'The role of this connection may not do this. Nothing was written; where it may not create tables, run what `postgresSchema` lists as one that may, grant this one SELECT, INSERT, UPDATE and DELETE on them, and open with `migrated: true`.',
  },
  {
    said: /^FP001 /,
    code: 'UNSUPPORTED',
    text: "Commits need the isolation READ COMMITTED: give this connection the default_transaction_isolation 'read committed'.",
  },
  {
    said: /^(42P01|42883) /,
    code: 'FAILED',
    text: 'The tables of this package, or its function, are not there: call ensureSchema(), or run what `postgresSchema` lists.',
  },
] as const

export function coded(error: unknown): CheckpointerError {
  if (CheckpointerError.is(error)) return error
  const state = stateOf(error)
  const words = `${state ?? ''} ${wordsOf(error)}`
  const meaning = MEANINGS.find(({ said }) => said.test(words))
  const outcome = isUnsure(error) ? {} : { outcome: 'none' as const }
  if (!meaning)
    return new CheckpointerError('FAILED', `Postgres failed: ${String(error)}`, { cause: error, ...outcome })
  return new CheckpointerError(meaning.code, meaning.text, { cause: error, ...outcome })
}

export const unknownOutcome = (error: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `The server has not answered a write, and it may have been carried out or not: ${String(error)}`,
    { cause: error, outcome: 'unknown' },
  )
