import type { Frames, StoredExtra, StoredInfo, StoredWrite } from './checkpoints.ts'
import type { At, Place } from './places.ts'
import type { StoredRun } from './runs.ts'

export interface LoadRequest extends Place {
  readonly at?: At
  /** The key of a save whose state the caller has: if it is that one, no frames are sent. */
  readonly known?: string
}

export interface LoadReply {
  readonly info: StoredInfo
  readonly frames?: Frames
  readonly writes: readonly StoredWrite[]
  /** The latest run of the namespace, whichever checkpoint this is. */
  readonly run?: StoredRun
}

export interface ReadWritesRequest extends Place {
  /** The seq of their checkpoint. */
  readonly checkpoint: number
  /** Of this task alone. Of all when absent, in the order in which they came. */
  readonly taskId?: string
  /** Only from this index on. */
  readonly from?: number
  /** Only those before this index, if any. */
  readonly before?: number
}

export interface HistoryWhere {
  readonly runId?: string
  readonly node?: string
  readonly source?: string
  readonly label?: string
  readonly step?: number
  readonly workflow?: string
  readonly extra?: StoredExtra
}

export interface HistoryRequest extends Place {
  readonly limit: number
  /** Only what is older, or newer, than this seq or id. */
  readonly before?: number | string
  readonly after?: number | string
  readonly order: 'newest' | 'oldest'
  readonly where?: HistoryWhere
  readonly states: boolean
}

export interface HistoryReply {
  readonly items: readonly StoredInfo[]
  readonly frames?: Frames
  /** There is more: the seq that the next page begins with. */
  readonly next?: number
  /** `before` and `after` as seqs, since the checkpoint that an id names may go between pages. */
  readonly before?: number
  readonly after?: number
}

export interface ThreadsRequest {
  readonly limit: number
  readonly after?: { readonly rank: number; readonly thread: string }
}

export interface StoredSummary {
  readonly thread: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly label?: string
  readonly forkOf?: {
    readonly thread: string
    readonly namespace: string
    readonly seq: number
    readonly id: string
  }
  readonly head?: StoredInfo
  readonly otherHeads?: readonly { readonly seq: number; readonly id: string }[]
}

export interface ThreadsReply {
  readonly items: readonly StoredSummary[]
  readonly next?: { readonly rank: number; readonly thread: string }
}
