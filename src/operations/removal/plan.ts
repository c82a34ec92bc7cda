import type { Limits, Put, Row } from '../../storage/storage.ts'
import type { Place } from '../host.ts'
import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import type { ThreadLoss } from './losses.ts'

export interface RemovalPlan {
  /** Of all that the removal has looked at, also of what loses nothing. */
  readonly losses: readonly ThreadLoss[]
  /** The rows of these threads go as well, or of all of their namespaces but the one that is listed. */
  readonly ends?: 'threads' | 'namespaces'
  /** Rows of threads that cannot be read, and go as well. */
  readonly damaged?: readonly Row[]
  readonly dryRun?: boolean
}

/** What other stores are to know of a removal: that it was made; that it was made here, to save room; nothing new. */
export type Spread = 'everywhere' | 'here' | 'nothing'

/** How a removal goes about it. */
export interface Pace {
  /** Take about so many rows and say how many are left, in place of all of them at once. */
  readonly most?: number
  /** Not in this place's turn, as callers' removals are, but beside its saves. */
  readonly beside?: Place
  /** `everywhere` when absent. */
  readonly spread?: Spread
}

/** What a removal comes to. */
export interface Outcome {
  /** All threads of the family that will be left. */
  readonly remaining: readonly ThreadFacts[]
  /** Rows that nobody will show. */
  readonly unshown: readonly CheckpointRow[]
  /** Where the unshown stand. */
  readonly lanes: readonly string[]
  /** Where there may be more of them, which cannot be told yet. */
  readonly later: readonly string[]
  /** By which others know that it was made. */
  readonly told: readonly Put[]
  /** Nobody is left: the whole partition goes. */
  readonly wipes: boolean
}

/** Whether a thread's row goes. */
export const isEnded = ({ ends }: RemovalPlan, { thread: { facts } }: ThreadLoss): boolean =>
  ends === 'threads' || (ends === 'namespaces' && facts.namespace !== '')

/**
 * Of how many namespaces one commit can take something: each is checked and put, or goes with its birth, and so do its
 * pending writes; beside them there are the family's row, leases, and what others are told.
 */
export const mostNamespaces = ({ operations }: Limits): number =>
  Math.max(1, Math.floor((operations - BESIDE) / A_NAMESPACE))

const A_NAMESPACE = 6
const BESIDE = 10
