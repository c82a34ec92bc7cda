import type { Fenced } from './leases.ts'
import type { OfThread, Place } from './places.ts'

export interface PruneRequest extends Place, Fenced {
  readonly keepLast?: number
  /** Milliseconds since 1970: what was made before may go. */
  readonly olderThan?: number
  readonly keepEvery?: number
  readonly keepLabelled?: boolean
  readonly ancestors: 'keep' | 'drop'
  readonly branches?: 'keep' | 'drop'
  readonly maxBytes?: number
  readonly dryRun: boolean
  /** When more than this would go, none goes yet: the reply says which, to be deleted part by part. */
  readonly most?: number
}

export interface DeleteCheckpointsRequest extends Place, Fenced {
  readonly ids: readonly (number | string)[]
  /** About so many in this call; the reply says how many are left. */
  readonly most?: number
}

export interface DeleteRunRequest extends OfThread {
  readonly runId: string
  readonly most?: number
}

export interface RemovedReply {
  readonly removed: readonly { readonly namespace: string; readonly seq: number }[]
  /** Bytes that are free again: what another thread still shows stays. */
  readonly bytes: number
  readonly kept: number
  /** How many are still to go: what was asked for was more than one call takes. */
  readonly left: number
}
