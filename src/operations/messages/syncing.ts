import type { StoredInfo, StoredWrite } from './checkpoints.ts'
import type { Fenced } from './leases.ts'
import type { Place } from './places.ts'
import type { StoredSummary } from './reading.ts'
import type { StoredRun } from './runs.ts'

/** What names one save in every store: its id, and its key where that is another. A seq is a store's own. */
export interface SaveName {
  readonly id: string
  readonly key?: string
}

export interface SyncListRequest {
  readonly limit: number
  /** Goes on there; without a rank among the threads that are gone. */
  readonly after?: { readonly thread: string; readonly rank?: number }
}

/** One thread of a store, that is there or was deleted. */
export interface SyncListed {
  readonly thread: string
  /** The store's id: what is noted of one is worth nothing in another. */
  readonly store: string
  /** Changes whenever anything does that another store would have to know. */
  readonly stamp: string
}

export interface SyncListReply {
  readonly items: readonly SyncListed[]
  readonly next?: { readonly thread: string; readonly rank?: number }
}

/** One of the heads that a namespace has: mostly there is one, and of several none follows another. */
export interface SyncHead extends SaveName {
  readonly seq: number
  readonly run?: StoredRun
}

/** One namespace of a thread, at one moment. */
export interface SyncPlace {
  readonly namespace: string
  /** Its own lane: when that is another one, all seqs are others. */
  readonly lane: string
  /** No checkpoint has this seq yet, nor one above. */
  readonly next: number
  readonly createdAt: number
  readonly label?: string
  readonly forkOf?: StoredSummary['forkOf']
  /** The one that saves go on from comes first. */
  readonly heads: readonly SyncHead[]
  /** No pending write was filed later, by the store's own clock; absent where there never was one. */
  readonly wrote?: number
}

export interface SyncAskRequest {
  readonly thread: string
}

export interface SyncAskReply {
  readonly store: string
  /** As a list has it; absent when nothing is known of such a thread. */
  readonly stamp?: string
  readonly places: readonly SyncPlace[]
  /** What was removed, by the names of the removals. */
  readonly gone: readonly string[]
}

export interface SyncHaveRequest extends Place {
  /** Those above this seq, and below that one. */
  readonly after: number
  readonly before: number
  readonly limit: number
  /** Only those with pending writes that were filed after this time. */
  readonly wroteAfter?: number
}

export interface SyncHaveReply {
  readonly names: readonly (SaveName & { readonly seq: number })[]
  /** All up to this seq were looked at. */
  readonly last: number
  /** What of these cannot be read, and has no name here. */
  readonly damaged?: readonly number[]
}

/** Removals that the giver knows of: what it shows in spite of one was made anew since, and may come. */
interface Heard {
  readonly heard?: readonly string[]
}

export interface SyncWantRequest extends Place, Heard {
  readonly names: readonly SaveName[]
  readonly withPlace?: boolean
}

/** By their places in the request. */
export interface SyncWantReply {
  /** Neither here nor removed here. */
  readonly wanted: readonly number[]
  /** Here another save has the id. */
  readonly taken: readonly number[]
  /** If it was asked for: the namespace as it stood at that moment, where it is there. */
  readonly place?: SyncPlace
}

export interface SyncGiveRequest extends Place {
  readonly seqs: readonly number[]
  /** `whole`: states that stand on no other; `none`: only what stands with the checkpoints. */
  readonly states: 'deltas' | 'whole' | 'none'
}

export interface SyncWrite extends StoredWrite {
  /** Of two in one place the later stays. */
  readonly made: number
}

/** A checkpoint on its way to another store. */
export interface SyncRow {
  /** As it stands where it comes from, where its seqs mean something. */
  readonly info: StoredInfo
  /** What the delta starts from; absent when `body` is the whole state. */
  readonly base?: { readonly id: string; readonly key: string }
  readonly body: Uint8Array
  readonly writes: readonly SyncWrite[]
}

export interface SyncGiveReply {
  readonly rows: readonly SyncRow[]
  /** How many of those that were asked for this answers: some may be gone, or damaged. */
  readonly passed: number
  /** Which of these cannot be read. */
  readonly damaged: readonly number[]
}

export interface SyncTakeRequest extends Place, Heard {
  /** For a namespace that is not there yet. */
  readonly about: Pick<SyncPlace, 'createdAt' | 'label' | 'forkOf'>
  readonly rows: readonly SyncRow[]
  /** The heads of the giver. */
  readonly heads: readonly SyncHead[]
  /** Which heads of the taker's own the giver has, and has gone on from. */
  readonly past: readonly string[]
  /** A turn of the taker's run whose runner is gone: where the giver has gone on with it, it need not. */
  readonly left?: string
  /** Nothing follows: what could not be decided before is decided now. */
  readonly isLast: boolean
}

export interface SyncTakeReply {
  /** So many, from the first on, need not be sent again. */
  readonly taken: number
  readonly added: number
  /** What the next one starts from is not here: it is to be sent whole. */
  readonly isStuck?: true
  /** Which of those taken are nothing that could be read here, by the seqs that they came with: they were left out. */
  readonly damaged?: readonly number[]
  /** The next seq, before and after. */
  readonly from: number
  readonly next: number
  readonly lane: string
  /** The ids of the heads by now. */
  readonly heads: readonly string[]
  /** Something is other than before, be it a head, a run or a pending write. */
  readonly isChanged?: true
  /** A pending write was filed at this time. */
  readonly wrote?: number
}

/** Checkpoints that were removed together. The name is the same in all stores that know of it. */
export interface SyncGone {
  readonly name: string
  readonly saves: readonly (SaveName & { readonly namespace: string })[]
}

export interface SyncGoneRequest {
  readonly thread: string
  readonly names: readonly string[]
}

export interface SyncForgetRequest {
  readonly thread: string
  readonly gone: readonly SyncGone[]
  /** The thread is not there any more, where they come from: an empty one goes here too. */
  readonly deleted: boolean
}

/** How far two stores have come with a thread: up to which seq of each lane the other one knows all. */
export interface SyncNote {
  /** The stamps that both had when nothing was left to be done. */
  readonly mine?: string
  readonly theirs?: string
  readonly places: readonly {
    readonly namespace: string
    readonly mine: readonly [lane: string, seq: number]
    readonly theirs: readonly [lane: string, seq: number]
    /** Heads that both had then: who has one no more, and has not removed it, was put back to an earlier copy. */
    readonly heads?: readonly SaveName[]
    /** All pending writes up to these times are known too, by each one's own clock. */
    readonly wrote?: readonly [mine: number, theirs: number]
    /** Each had a pending write of this time: one that has none so late was put back too. */
    readonly filed?: readonly [mine: number, theirs: number]
  }[]
}

export interface SyncRecallRequest {
  readonly of: readonly { readonly thread: string; readonly store: string }[]
}

export interface SyncNoteRequest {
  readonly thread: string
  readonly store: string
  readonly note: SyncNote
}

export interface ChooseHeadRequest extends Place, Fenced {
  readonly to: number | string
}

export interface HeadsReply {
  readonly heads: readonly StoredInfo[]
}
