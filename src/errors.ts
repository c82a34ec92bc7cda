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
  /** Another tab holds the database in a way that does not let this call go on. */
  | 'BLOCKED'
  /** The checkpointer was closed, here or by an upgrade or a destroy elsewhere. */
  | 'CLOSED'
  /** The browser removed the database while it was open. */
  | 'EVICTED'
  /** The worker died or never answered; for a write, `outcome` says whether it may have happened. */
  | 'WORKER_LOST'
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
  readonly thread: string
  readonly namespace: string
  /** The last seq that had been saved, at least. */
  readonly expected: number
  /** The last one that is known here. Absent: there is no such thread. */
  readonly found?: number
}

/** What an error is about, as far as it is known. */
export interface ErrorDetails {
  readonly thread?: string
  readonly namespace?: string
  readonly seq?: number
  /** Where in the caller's value, as a readable path such as `$.messages[3].run`. */
  readonly path?: string
  /** For a write that was cut off: whether it may have been carried out. */
  readonly outcome?: 'none' | 'unknown'
  /** With `QUOTA`: what this site takes and may take, as far as the browser says. An estimate. */
  readonly usage?: { readonly bytes?: number; readonly quota?: number }
  /** For `DATA_LOSS`: what was expected, and what is left. */
  readonly loss?: Loss
  readonly cause?: unknown
}

const brand: unique symbol = Symbol.for('forkpoint.CheckpointerError') as never

/**
 * The only error class this package throws, beside the reason of an AbortSignal of yours. Compare `code`; the
 * message is for people.
 */
export class CheckpointerError extends Error {
  declare readonly code: ErrorCode
  declare readonly thread?: string
  declare readonly namespace?: string
  declare readonly seq?: number
  declare readonly path?: string
  declare readonly outcome?: 'none' | 'unknown'
  declare readonly usage?: { readonly bytes?: number; readonly quota?: number }
  declare readonly loss?: Loss

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, ...about } = details
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CheckpointerError'
    this.code = code
    Object.assign(this, about)
    Object.defineProperty(this, brand, { value: true })
  }

  /** True for an error of this package, also one made by another copy of it. */
  static is(value: unknown, code?: ErrorCode): value is CheckpointerError {
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
