import type { SessionReport } from '../../storage/storage.ts'
import type { Loss } from '../../errors.ts'
import type { Place } from './places.ts'

/** Heads that are remembered outside of the database, to be compared with what is there. */
export interface ReconcileRequest {
  readonly heads: readonly WitnessedHead[]
}

export interface WitnessedHead extends Place {
  readonly seq: number
  /** When the save was asked for, in milliseconds since 1970. */
  readonly at: number
}

export interface ReconcileReply {
  /** The id of the database that is open; absent when its row is damaged. */
  readonly database?: string
  /** How the sessions before this one have ended, where the storage knows. */
  readonly session?: SessionReport
  /** For each head, in their order: the last seq that was ever given here; absent when there is no such thread. */
  readonly found: readonly { readonly seq?: number; readonly isLost: boolean }[]
}

/** A loss as `verify` is to report it. */
export interface LossRecord {
  readonly at: number
  readonly message: string
  readonly loss: Loss
}

/** A session that will owe something. */
export interface OweRequest {
  /** The name that it is to have, where sessions have names. */
  readonly session?: string
}

/** Sessions that owe nothing any more: they have ended in order, or what they may have lost was told. */
export interface SettleRequest {
  readonly sessions: readonly string[]
  readonly inOrder: boolean
}
