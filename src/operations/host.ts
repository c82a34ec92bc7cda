import type { Act, CheckpointerEvent, Problem } from '../checkpoint.ts'
import type { Loss } from '../errors.ts'
import type { Json } from '../state/json.ts'
import type { Key, SessionReport, Table } from '../storage/storage.ts'
import type {
  ExportPageReply,
  ExportPageRequest,
  ImportPageReply,
  ImportPageRequest,
} from './carry/messages.ts'
import type {
  Fenced,
  HeldLease,
  KeepLeaseRequest,
  TakeLeaseReply,
  TakeLeaseRequest,
} from './lease-messages.ts'

export type { Fenced, HeldLease, KeepLeaseRequest, TakeLeaseReply, TakeLeaseRequest }

export type {
  ExportPageReply,
  ExportPageRequest,
  ImportBounds,
  ImportPageReply,
  ImportPageRequest,
} from './carry/messages.ts'

/**
 * The store's side as the caller's side sees it: verbs with plain data in and out, so that a wire can stand
 * between them. States travel as frames (UTF-8 JSON), never as live values.
 */
export interface Host {
  save(request: SaveRequest): Promise<SaveReply>
  saveMany(request: SaveManyRequest): Promise<SaveManyReply>
  head(request: Place): Promise<HeadReply>
  load(request: LoadRequest): Promise<LoadReply | undefined>
  history(request: HistoryRequest): Promise<HistoryReply>
  fork(request: ForkRequest): Promise<ForkReply>
  copy(request: CopyRequest): Promise<void>
  prune(request: PruneRequest): Promise<RemovedReply>
  deleteThread(request: OfThread): Promise<boolean>
  deleteCheckpoints(request: DeleteCheckpointsRequest): Promise<RemovedReply>
  deleteRun(request: DeleteRunRequest): Promise<RemovedReply>
  putWrites(request: PutWritesRequest): Promise<void>
  takeLease(request: TakeLeaseRequest): Promise<TakeLeaseReply>
  /** Gives a sign of life, and goes on giving it for a while. False when the lease is another's by now. */
  keepLease(request: KeepLeaseRequest): Promise<boolean>
  dropLease(request: HeldLease): Promise<void>
  threads(request: ThreadsRequest): Promise<ThreadsReply>
  usage(request: UsageRequest): Promise<UsageReply>
  verify(request: VerifyRequest): Promise<VerifyReply>
  repair(request: RepairRequest): Promise<RepairReply>
  /** From here on saves are acknowledged before they are written: to be awaited before the first of them. */
  owe(): Promise<void>
  /** Makes durable what was written without being so at once. */
  flush(): Promise<void>
  exportPage(request: ExportPageRequest): Promise<ExportPageReply>
  importPage(request: ImportPageRequest): Promise<ImportPageReply>
  endCarry(request: { readonly id: string }): Promise<void>
  /** The page goes, or sleeps: nothing will be written for now. */
  rest(): Promise<void>
  reconcile(request: ReconcileRequest): Promise<ReconcileReply>
  recordLoss(request: LossRecord): Promise<void>
  destroy(): Promise<void>
  close(): Promise<void>
}

export interface Place {
  readonly thread: string
  readonly namespace: string
}

/** All namespaces of a thread. */
export interface OfThread extends Fenced {
  readonly thread: string
}

/** Which checkpoint: the head when absent. */
export type At =
  | { readonly seq: number }
  | { readonly id: string }
  | { readonly step: number }
  | { readonly label: string }

/** One save, whatever else may have had its id before or since. */
interface SavedRef {
  readonly id: string
  readonly key: string
}

/** A state on its way: whole, or as what changed since a checkpoint of the same thread. */
interface Frame {
  /** The checkpoint that the delta starts from; absent when `body` is the whole state. */
  readonly base?: SavedRef
  readonly body: Uint8Array
}

/** Names and encoded values. */
export type StoredExtra = readonly (readonly [name: string, value: Json])[]

/** The caller's fields as they are stored. */
export interface StoredFields {
  readonly node?: string
  readonly next?: readonly string[]
  readonly step?: number
  readonly runId?: string
  readonly workflow?: string
  readonly label?: string
  readonly source?: string
  readonly path?: readonly string[]
  readonly extra?: StoredExtra
}

/** A checkpoint's facts as they travel and as they are stored. */
export interface StoredInfo extends StoredFields {
  readonly seq: number
  readonly id: string
  /** What names this one save, when it is not the id: an id of the caller's may be used again elsewhere. */
  readonly key?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly parent?: { readonly seq: number; readonly id: string }
}

export interface NewCheckpoint {
  /** Unique, made by the caller's side: the checkpoint's id unless `id` is given. A second try is recognised by it. */
  readonly key: string
  readonly id?: string
  readonly createdAt: number
  readonly fields: StoredFields
  readonly frame: Frame
}

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
}

export interface LoadRequest extends Place {
  readonly at?: At
  /** The key of a save whose state the caller has: if it is that one, no frames are sent. */
  readonly known?: string
}

/** The frames that some states are folded from: for each its seq and its base's, and its body. */
export interface Frames {
  readonly index: readonly { readonly seq: number; readonly base?: number }[]
  readonly bodies: readonly Uint8Array[]
}

export interface StoredWrite {
  readonly taskId: string
  readonly index: number
  readonly channel: string
  /** The encoded value, UTF-8 JSON. */
  readonly body: Uint8Array
}

export interface LoadReply {
  readonly info: StoredInfo
  readonly frames?: Frames
  readonly writes: readonly StoredWrite[]
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

export interface ForkRequest extends Place {
  readonly at?: At
  readonly as: string
  readonly label?: string
  readonly createdAt: number
  /** Makes a retry recognisable, as a save's does. */
  readonly key: string
  /** The edited state: becomes the fork's first checkpoint of its own. */
  readonly first?: NewCheckpoint
}

export interface ForkReply {
  /** The fork's head. */
  readonly head: StoredInfo
}

export interface CopyRequest {
  readonly thread: string
  readonly as: string
  readonly createdAt: number
  /** Makes a retry recognisable, as a save's does. */
  readonly key: string
}

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

export interface PutWritesRequest extends Place, Fenced {
  readonly checkpoint: string | number
  readonly writes: readonly StoredWrite[]
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
}

export interface ThreadsReply {
  readonly items: readonly StoredSummary[]
  readonly next?: { readonly rank: number; readonly thread: string }
}

export interface UsageRequest {
  /** Goes on where an answer has ended. */
  readonly after?: UsageCursor
}

export interface UsageCursor {
  readonly partition: string
  /** What is left of it; absent when it is done. */
  readonly left?: readonly { readonly table: Table; readonly from: Key }[]
}

/** What was counted on the way; a thread may come again with the next answer. */
export interface UsageReply {
  /** Bytes of rows, as they were handed to the storage. */
  readonly bytes: number
  readonly threads: number
  readonly checkpoints: number
  readonly perThread: readonly ThreadUsage[]
  readonly next?: UsageCursor
}

export interface ThreadUsage {
  readonly thread: string
  readonly bytes: number
  readonly checkpoints: number
}

/** A place between two rows, in the order in which `verify` reads them. */
export interface Cursor {
  readonly partition: string
  readonly table: Problem['table']
  /** The key of the row before; absent at the beginning of the table. */
  readonly after?: readonly (string | number)[]
}

export interface VerifyRequest {
  readonly from?: Cursor
}

export interface VerifyReply {
  readonly checked: number
  readonly problems: readonly Problem[]
  readonly next?: Cursor
}

export interface RepairRequest {
  /** Only what comes after this partition. */
  readonly after?: string
  /** Only says what it would do. */
  readonly isPlan: boolean
}

export interface RepairReply {
  readonly checked: number
  /** What there was before. */
  readonly problems: readonly Problem[]
  readonly acts: readonly Act[]
  /** There is more: the partition to go on after. */
  readonly next?: string
}

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

/** Called by the host after a change has been committed. */
export type Publish = (event: CheckpointerEvent) => void
