/** Every way in which a call can fail. What to do about each is in docs/errors.md. */
export type ErrorCode =
  /** The thread, checkpoint or run that was asked for does not exist. */
  | 'NOT_FOUND'
  /** Someone else was first: `expect` no longer holds, or the id is taken. Load again, then decide. */
  | 'CONFLICT'
  /** The arguments cannot be accepted; `path` says where in the state. Nothing was written. */
  | 'INVALID'
  /** Larger than the storage takes. */
  | 'TOO_LARGE'
  /** The device or origin has no room left. Prune, delete or ask for persistence, then retry. */
  | 'QUOTA'
  /** A stored row failed its check. The rest of the thread stays readable. */
  | 'CORRUPT'
  /** Another tab or runner holds the database, or the thread, and this call was not to wait, or waited long enough. */
  | 'BLOCKED'
  /** The checkpointer was closed, here or by an upgrade or a destroy elsewhere. */
  | 'CLOSED'
  /** The browser removed the database while it was open. */
  | 'EVICTED'
  /** The worker, or the server, is gone or never answered; for a write, `outcome` says whether it may have happened. */
  | 'WORKER_LOST'
  /** Whoever serves this checkpointer does not allow it to this caller; nothing was read or written. */
  | 'FORBIDDEN'
  /** This storage, engine or version cannot do what was asked. */
  | 'UNSUPPORTED'
  /** The database was written by a newer version of this package. */
  | 'FORMAT_TOO_NEW'
  /** The lease of this runner was taken over; nothing was written. */
  | 'LEASE_LOST'
  /** The storage engine failed in a way of its own; `cause` says how. A write may be tried again. */
  | 'FAILED'
  /** Data that was acknowledged earlier is missing. */
  | 'DATA_LOSS'

/** What a `DATA_LOSS` is about. */
export interface Loss {
  /** What had been saved, as far as that was remembered outside of the database. */
  readonly expected: LossSide
  /** What is there. Another database than the expected one: all that was in that one is gone. */
  readonly found: LossSide
  /** What is missing; of very many, the ones saved last. */
  readonly heads: readonly LostHead[]
}

/** What was expected, or what there is. */
export interface LossSide {
  /** Every database has an id of its own, made with it. */
  readonly database: string
  /** How many are known of. */
  readonly threads: number
}

/** A thread of which the latest checkpoints are missing, or all. */
export interface LostHead {
  /** The thread's id. */
  readonly thread: string
  /** The namespace within the thread; `''` is the root. */
  readonly namespace: string
  /** The last seq that had been saved, at least. */
  readonly expected: number
  /** The last one that is known here. Absent: there is no such thread. */
  readonly found?: number
}

/** What an error is about, as far as it is known. */
export interface ErrorDetails {
  /** The thread. */
  readonly thread?: string
  /** Its namespace; `''` is the root. */
  readonly namespace?: string
  /** The checkpoint, by its seq. */
  readonly seq?: number
  /** Where in the caller's value, as a readable path such as `$.messages[3].run`. */
  readonly path?: string
  /** For a write that was cut off: whether it may have been carried out. */
  readonly outcome?: 'none' | 'unknown'
  /** With `QUOTA`: what this site takes and may take, as far as the browser says. An estimate. */
  readonly usage?: { readonly bytes?: number; readonly quota?: number }
  /** For `DATA_LOSS`: what was expected, and what is left. */
  readonly loss?: Loss
  /** What it was caused by. */
  readonly cause?: unknown
}

const brand: unique symbol = Symbol.for('forkpoint.CheckpointerError') as never

/**
 * The only error class this package throws, beside the reason of an AbortSignal of yours. Compare `code`; the
 * message is for people.
 */
export class CheckpointerError extends Error {
  /** What has failed: compare this. */
  declare readonly code: ErrorCode
  /** The thread that it is about. */
  declare readonly thread?: string
  /** The namespace of that thread; `''` is the root. */
  declare readonly namespace?: string
  /** The checkpoint that it is about, by its seq. */
  declare readonly seq?: number
  /** Where in what was given: `$.messages[3].run` in a state; else the name of an option or argument. */
  declare readonly path?: string
  /** For a write that was cut off: whether it may have been carried out. `none`: it was not. */
  declare readonly outcome?: 'none' | 'unknown'
  /** With `QUOTA`: what this site takes and may take, as far as the browser says. An estimate. */
  declare readonly usage?: { readonly bytes?: number; readonly quota?: number }
  /** With `DATA_LOSS`: what was expected, and what is left. */
  declare readonly loss?: Loss

  /** Details become properties of it, and `cause` that of any error. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, ...about } = details
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CheckpointerError'
    this.code = code
    Object.assign(this, about)
    Object.defineProperty(this, brand, { value: true })
  }

  /** True for an error of this package, also one made by another copy of it. */
  static is<Code extends ErrorCode = ErrorCode>(
    value: unknown,
    code?: Code,
  ): value is CheckpointerError & { readonly code: Code } {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false
    return code === undefined || (value as { code?: unknown }).code === code
  }
}

/** For what a function of the caller's throws where nobody waits for it: as the failure of any event handler. */
export function reportFailure(error: unknown): void {
  ;(globalThis.reportError ?? console.error)(error)
}

/**
 * The database was taken away. Storages tell it once, and then open what is there under the name: whoever hears it
 * beside the callers' calls must pass it on as what it is.
 */
export const isTaken = (error: unknown): error is CheckpointerError =>
  CheckpointerError.is(error, 'CLOSED') || CheckpointerError.is(error, 'EVICTED')

/** Of a call to what its caller has closed. */
export const closed = (): CheckpointerError =>
  new CheckpointerError('CLOSED', 'This checkpointer is closed. Open it again.')
