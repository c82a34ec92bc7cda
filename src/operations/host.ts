import type { CheckpointerEvent } from '../checkpoint.ts'
import type {
  ExportPageReply,
  ExportPageRequest,
  ImportPageReply,
  ImportPageRequest,
} from './messages/carrying.ts'
import type { StoredWrite } from './messages/checkpoints.ts'
import type { CopyRequest, ForkReply, ForkRequest } from './messages/forking.ts'
import type {
  HeldLease,
  KeepLeaseRequest,
  LeaseSignRequest,
  TakeLeaseReply,
  TakeLeaseRequest,
} from './messages/leases.ts'
import type { LossRecord, ReconcileReply, ReconcileRequest, SettleRequest } from './messages/losses.ts'
import type { OfThread, Place } from './messages/places.ts'
import type {
  HistoryReply,
  HistoryRequest,
  LoadReply,
  LoadRequest,
  ReadWritesRequest,
  ThreadsReply,
  ThreadsRequest,
} from './messages/reading.ts'
import type {
  DeleteCheckpointsRequest,
  DeleteRunRequest,
  PruneRequest,
  RemovedReply,
} from './messages/removing.ts'
import type { RunsReply, RunsRequest } from './messages/runs.ts'
import type {
  DropWritesRequest,
  HeadReply,
  PutWritesReply,
  PutWritesRequest,
  SaveManyReply,
  SaveManyRequest,
  SaveReply,
  SaveRequest,
} from './messages/saving.ts'
import type {
  RepairReply,
  RepairRequest,
  UsageReply,
  UsageRequest,
  VerifyReply,
  VerifyRequest,
} from './messages/surveying.ts'

export type * from './messages/carrying.ts'
export type * from './messages/checkpoints.ts'
export type * from './messages/forking.ts'
export type * from './messages/leases.ts'
export type * from './messages/losses.ts'
export type * from './messages/places.ts'
export type * from './messages/reading.ts'
export type * from './messages/removing.ts'
export type * from './messages/runs.ts'
export type * from './messages/saving.ts'
export type * from './messages/surveying.ts'

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
  putWrites(request: PutWritesRequest): Promise<PutWritesReply>
  /** The pending writes of one task, in the order of their indexes; none where there is no such thread. */
  readWrites(request: ReadWritesRequest): Promise<readonly StoredWrite[]>
  /** Lets go of what tasks have yielded, by their indexes; what is gone already is passed over. */
  dropWrites(request: DropWritesRequest): Promise<void>
  takeLease(request: TakeLeaseRequest): Promise<TakeLeaseReply>
  /** Gives a sign of life, and goes on giving it for a while. False when the lease is another's by now. */
  keepLease(request: KeepLeaseRequest): Promise<boolean>
  dropLease(request: HeldLease): Promise<void>
  /** The latest sign of life of whoever has the lease; nothing where nobody has it. */
  leaseSign(request: LeaseSignRequest): Promise<string | undefined>
  threads(request: ThreadsRequest): Promise<ThreadsReply>
  /** Those of a thread that have checkpoints, by name; none where there is no such thread. */
  namespaces(request: OfThread): Promise<readonly string[]>
  runs(request: RunsRequest): Promise<RunsReply>
  usage(request: UsageRequest): Promise<UsageReply>
  verify(request: VerifyRequest): Promise<VerifyReply>
  repair(request: RepairRequest): Promise<RepairReply>
  /** From here on saves are acknowledged before they are written: to be awaited before the first of them. */
  owe(): Promise<string | undefined>
  settle(request: SettleRequest): Promise<void>
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

/** Called by the host after a change has been committed. */
export type Publish = (event: CheckpointerEvent) => void
