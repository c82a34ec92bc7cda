import type { Checkpoint, CheckpointerEvent, CheckpointInfo, PendingWrite } from '../../../checkpoint.ts'
import type { CheckpointerError } from '../../../errors.ts'
import type {
  DropWritesRequest,
  PutWritesReply,
  SaveRequest,
  StoredRun,
  StoredWrite,
} from '../../../operations/host.ts'
import type { Codec } from '../../../state/codec.ts'
import type { HeldLease, LeaseOptions } from '../../leases/lease.ts'
import type { WrittenBehind } from '../../threads/shared.ts'
import type { HistoryOptions } from '../../threads/history.ts'
import type { SaveOptions, Which } from '../../threads/types.ts'

/** What a run is put on: one namespace of a thread, and what its handle may do there. */
export interface Ground<State> {
  readonly thread: string
  readonly namespace: string
  readonly codec: Codec
  /** The lease that the handle has already: its owner lets go of it. */
  readonly lease: HeldLease | undefined
  takeLease(options: LeaseOptions): Promise<HeldLease>
  load(which?: Which): Promise<Loaded<State> | undefined>
  /** The checkpoint that saves go on from; not always the one that came last, when stores have been brought together. */
  head(): Promise<Pick<CheckpointInfo, 'seq'> | undefined>
  /** The pending writes of a checkpoint, and how the latest run stands, without the state. */
  journalOf(seq: number): Promise<Pick<Loaded<State>, 'run'> & { readonly writes: readonly PendingWrite[] }>
  /** Those pending writes of a checkpoint that are in this channel. */
  writesOn(seq: number, channel: string): Promise<readonly PendingWrite[]>
  /** The checkpoints with a run's id, newest first, without their states. */
  checkpointsOf(
    runId: string,
    options?: Pick<HistoryOptions, 'limit' | 'before' | 'signal'>,
  ): AsyncIterable<CheckpointInfo>
  save(state: State, options: SaveOptions, beside: Beside, lease: HeldLease): Promise<CheckpointInfo>
  /** Whether the state is still that of the checkpoint. */
  isSaved(state: State, seq: number): boolean
  /** Whether two of the checkpoints that came last are known to hold the same state. */
  isSame(seq: number, other: number): boolean
  /** Called for again while nobody knows whether they are there. */
  putWrites(request: JournalWrites, lease?: HeldLease): Promise<PutWritesReply>
  /** The same, called for once: for whoever looks before the next try. */
  tryWrites(request: JournalWrites): Promise<PutWritesReply>
  /** Aborted when the checkpointer closes. */
  readonly closed: AbortSignal
  subscribe(listener: (event: CheckpointerEvent) => void): () => void
  dropWrites(request: JournalDrop, lease: HeldLease): Promise<void>
  /** Has `flush`, and a page that goes, see to this too, until what it returns is called. */
  writesBehind(work: WrittenBehind): () => void
  onWarning(warning: CheckpointerError): void
}

export interface Loaded<State> {
  readonly checkpoint: Checkpoint<State>
  /** The latest run of the namespace. */
  readonly run?: StoredRun
}

/** What one commit holds beside a save. */
export type Beside = Pick<SaveRequest, 'run' | 'writes'>

/** What the journal needs no longer. */
type JournalDrop = Pick<DropWritesRequest, 'checkpoint' | 'tasks' | 'from' | 'until'>

interface JournalWrites {
  readonly checkpoint: number
  readonly writes: readonly StoredWrite[]
  readonly run?: StoredRun
  readonly turn?: string
  readonly since?: number
  readonly relaxed?: boolean
}
