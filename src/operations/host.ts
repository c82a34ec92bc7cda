import type { CheckpointerEvent } from '../checkpoint.ts'
import type {
  ExportPageReply,
  ExportPageRequest,
  ImportPageReply,
  ImportPageRequest,
} from './messages/carrying.ts'
import type { StoredInfo, StoredWrite } from './messages/checkpoints.ts'
import type { CopyRequest, ForkReply, ForkRequest } from './messages/forking.ts'
import type {
  HeldLease,
  KeepLeaseRequest,
  LeaseSignRequest,
  TakeLeaseReply,
  TakeLeaseRequest,
} from './messages/leases.ts'
import type {
  LossRecord,
  OweRequest,
  ReconcileReply,
  ReconcileRequest,
  SettleRequest,
} from './messages/losses.ts'
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
import type {
  ChooseHeadRequest,
  HeadsReply,
  SyncAskReply,
  SyncAskRequest,
  SyncForgetRequest,
  SyncGiveReply,
  SyncGiveRequest,
  SyncGone,
  SyncGoneRequest,
  SyncHaveReply,
  SyncHaveRequest,
  SyncListReply,
  SyncListRequest,
  SyncNote,
  SyncNoteRequest,
  SyncRecallRequest,
  SyncTakeReply,
  SyncTakeRequest,
  SyncWantReply,
  SyncWantRequest,
} from './messages/syncing.ts'

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
export type * from './messages/syncing.ts'

/**
 * The store's side as the caller's side sees it: verbs with plain data in and out, so that a wire can stand
 * between them. States travel as frames (UTF-8 JSON), never as live values.
 */
export interface Host {
  /** Saves one state, in one commit. */
  save(request: SaveRequest): Promise<SaveReply>
  /** Saves a list of one place in one commit, as far as it goes; answers with a beginning of it. */
  saveMany(request: SaveManyRequest): Promise<SaveManyReply>
  /** What a place's next save starts from: its head, its next seq, its run. */
  head(request: Place): Promise<HeadReply>
  /** A checkpoint with the frames that make its state; `undefined` when there is none such. */
  load(request: LoadRequest): Promise<LoadReply | undefined>
  /** A page of checkpoints, with frames when states are asked for. */
  history(request: HistoryRequest): Promise<HistoryReply>
  /** A new thread that shows another up to a checkpoint. */
  fork(request: ForkRequest): Promise<ForkReply>
  /** A whole thread again, under another id. */
  copy(request: CopyRequest): Promise<void>
  /** Removes by rules, or says what would go. */
  prune(request: PruneRequest): Promise<RemovedReply>
  /** Removes a thread; whether there was one. */
  deleteThread(request: OfThread): Promise<boolean>
  /** Removes these, as many as one commit takes. */
  deleteCheckpoints(request: DeleteCheckpointsRequest): Promise<RemovedReply>
  /** Removes what a run has saved, as many as one commit takes. */
  deleteRun(request: DeleteRunRequest): Promise<RemovedReply>
  /** Keeps what tasks have yielded beside a checkpoint. */
  putWrites(request: PutWritesRequest): Promise<PutWritesReply>
  /** The pending writes of one task, in the order of their indexes; none where there is no such thread. */
  readWrites(request: ReadWritesRequest): Promise<readonly StoredWrite[]>
  /** Lets go of what tasks have yielded, by their indexes; what is gone already is passed over. */
  dropWrites(request: DropWritesRequest): Promise<void>
  /** Takes a thread's lease, or says whose sign of life is in the way. */
  takeLease(request: TakeLeaseRequest): Promise<TakeLeaseReply>
  /** Gives a sign of life, and goes on giving it for a while. False when the lease is another's by now. */
  keepLease(request: KeepLeaseRequest): Promise<boolean>
  /** Lets go of a lease that is still its holder's. */
  dropLease(request: HeldLease): Promise<void>
  /** The latest sign of life of whoever has the lease; nothing where nobody has it. */
  leaseSign(request: LeaseSignRequest): Promise<string | undefined>
  /** A page of the list of threads, the latest first. */
  threads(request: ThreadsRequest): Promise<ThreadsReply>
  /** Those of a thread that have checkpoints, by name; none where there is no such thread. */
  namespaces(request: OfThread): Promise<readonly string[]>
  /** A page of the latest runs. */
  runs(request: RunsRequest): Promise<RunsReply>
  /** A page of what rows weigh. */
  usage(request: UsageRequest): Promise<UsageReply>
  /** A page of what is wrong. */
  verify(request: VerifyRequest): Promise<VerifyReply>
  /** A round of a repair, or of a plan for one. */
  repair(request: RepairRequest): Promise<RepairReply>
  /** From here on saves are acknowledged before they are written: to be awaited before the first of them. */
  owe(request: OweRequest): Promise<string | undefined>
  /** Nothing is owed to these sessions any more. */
  settle(request: SettleRequest): Promise<void>
  /** Makes durable what was written without being so at once. */
  flush(): Promise<void>
  /** The next bytes of an export. */
  exportPage(request: ExportPageRequest): Promise<ExportPageReply>
  /** Takes the next bytes of an import; nothing of it is seen before the last. */
  importPage(request: ImportPageRequest): Promise<ImportPageReply>
  /** Gives up an export, an import or a repair that is under way. */
  endCarry(request: { readonly id: string }): Promise<void>
  /** The heads of a namespace, the one that saves go on from first; several when stores have been brought together. */
  heads(request: Place): Promise<HeadsReply>
  /** Makes one of several heads the one; the others stay as branches. */
  chooseHead(request: ChooseHeadRequest): Promise<StoredInfo>
  /** Threads by page, those also that were deleted, for another store to compare. */
  syncList(request: SyncListRequest): Promise<SyncListReply>
  /** How a thread stands. From here on its removals are written down. */
  syncAsk(request: SyncAskRequest): Promise<SyncAskReply>
  /** Names of checkpoints that are here, by page. */
  syncHave(request: SyncHaveRequest): Promise<SyncHaveReply>
  /** Which of these are not here, and were not removed here. */
  syncWant(request: SyncWantRequest): Promise<SyncWantReply>
  /** Checkpoints as they stand here, for another store. */
  syncGive(request: SyncGiveRequest): Promise<SyncGiveReply>
  /** Takes in what another store has given. */
  syncTake(request: SyncTakeRequest): Promise<SyncTakeReply>
  /** What was removed, and is not there. */
  syncGone(request: SyncGoneRequest): Promise<readonly SyncGone[]>
  /** Removes what was removed elsewhere, and keeps it from coming back; how many checkpoints went. */
  syncForget(request: SyncForgetRequest): Promise<number>
  /** How far stores had come with threads, as it was noted here. */
  syncRecall(request: SyncRecallRequest): Promise<readonly (SyncNote | null)[]>
  /** Notes how far two stores have come with a thread. */
  syncNote(request: SyncNoteRequest): Promise<void>
  /** The page goes, or sleeps: nothing will be written for now. */
  rest(): Promise<void>
  /** Compares what is remembered outside of the database with what is there. */
  reconcile(request: ReconcileRequest): Promise<ReconcileReply>
  /** Keeps a loss, for `verify` to tell of. */
  recordLoss(request: LossRecord): Promise<void>
  /** Deletes everything under this name, and closes. */
  destroy(): Promise<void>
  /** Waits for what is under way, then lets go of the storage. */
  close(): Promise<void>
}

/** Called by the host after a change has been committed. */
export type Publish = (event: CheckpointerEvent) => void
