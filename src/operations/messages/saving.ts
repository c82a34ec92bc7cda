import type { NewCheckpoint, StoredInfo, StoredWrite } from './checkpoints.ts'
import type { Fenced } from './leases.ts'
import type { Place } from './places.ts'
import type { StoredRun } from './runs.ts'

/** What is let go by itself, some time after a save. */
export interface RetentionRules {
  readonly keepLast?: number
  /** Milliseconds: only what is older may go. */
  readonly olderThan?: number
  readonly keepEvery?: number
  readonly keepLabelled: boolean
}

export interface StoreRetention extends RetentionRules {
  /** Of all threads together. */
  readonly maxBytes?: number
}

export interface SaveRequest extends Place, NewCheckpoint, Fenced {
  /** The parent's seq or id; `null` for none; the head when absent. */
  readonly parent?: number | string | null
  /** The seq or id that the head must have; `null`: there must be none. */
  readonly expect?: number | string | null
  /** It may have been made already: whether it was is looked up first, before `expect` is. */
  readonly retry?: true
  /** From here on in place of the store's own; `false`: nothing goes by itself. The store's own when absent. */
  readonly retention?: RetentionRules | false
  /** How the run stands with this save. */
  readonly run?: StoredRun
  /** Pending writes of the new checkpoint, which come with it. */
  readonly writes?: readonly StoredWrite[]
}

export type SaveReply =
  | { readonly saved: StoredInfo }
  /** The base of the delta is gone: send the whole state. */
  | { readonly saved: undefined }

/** Saves of one place, in their order; each may start from the one before it. */
export interface SaveManyRequest extends Place {
  readonly saves: readonly SaveRequest[]
  /** A crash of the machine may take them back, until `flush`. */
  readonly relaxed?: boolean
}

/**
 * What is stored now: a beginning of the list. What comes after it is to be sent again, and is refused then if it
 * must be. Empty when the base of the first one's delta is gone: send the whole state.
 */
export type SaveManyReply = readonly StoredInfo[]

export interface HeadReply {
  /** The seq that the next save will get. */
  readonly next: number
  readonly head?: { readonly seq: number; readonly id: string }
  readonly run?: StoredRun
}

export interface PutWritesRequest extends Place, Fenced {
  readonly checkpoint: string | number
  readonly writes: readonly StoredWrite[]
  /** How the run stands with them. */
  readonly run?: StoredRun
  /** Refused with `CONFLICT` unless the latest run is at this turn, and has not ended. */
  readonly turn?: string
  /** Beside `turn`: when the run was written last, as far as the caller knows; refused with `CONFLICT` if it was since. */
  readonly since?: number
  /** A crash of the machine may take them back, until a later commit. */
  readonly relaxed?: boolean
}

export interface PutWritesReply {
  /** How many of them are new; the others were there before. */
  readonly written: number
}

export interface DropWritesRequest extends Place, Fenced {
  /** The seq of their checkpoint. */
  readonly checkpoint: number
  readonly tasks: readonly string[]
  /** Only from this index on. */
  readonly from: number
  /** Only below this index. */
  readonly until?: number
}
