export { openCheckpointer, type GivenHost, type OpenOptions } from './open-checkpointer.ts'
export {
  CheckpointerError,
  type ErrorCode,
  type ErrorDetails,
  type Loss,
  type LossSide,
  type LostHead,
} from './errors.ts'
export type {
  Act,
  Checkpoint,
  CheckpointerEvent,
  CheckpointFields,
  CheckpointInfo,
  Origin,
  PendingWrite,
  Problem,
  ProblemKind,
  Snapshot,
  Source,
  ThreadSummary,
} from './checkpoint.ts'
export type { Checkpointer, ThreadOptions } from './checkpointer/checkpointer.ts'
export type { ThreadsOptions } from './checkpointer/threads/list-threads.ts'
export type { CarryProgress, ExportOptions } from './checkpointer/carry/export.ts'
export type { Imported, ImportLimits, ImportOptions } from './checkpointer/carry/import.ts'
export type { ImportSource } from './checkpointer/carry/source.ts'
export type { Durability } from './checkpointer/durability.ts'
export type { Persistence } from './checkpointer/upkeep/persistence.ts'
export type { ThreadUsage, Usage, UsageOptions } from './checkpointer/upkeep/usage.ts'
export type { HistoryFilter } from './checkpointer/threads/filter.ts'
export type { HistoryOptions } from './checkpointer/threads/history.ts'
export type { Lease, LeaseOptions } from './checkpointer/leases/lease.ts'
export type { PruneOptions } from './checkpointer/removals/prune-rules.ts'
export type { LongRemoval, Removed } from './checkpointer/removals/removals.ts'
export type { RunsOptions } from './checkpointer/runs/seen/list-runs.ts'
export type {
  ChunksEvent,
  RunEvent,
  StateEvent,
  StepEvent,
  WatchEvent,
} from './checkpointer/runs/watch/events.ts'
export type { WatchOptions } from './checkpointer/runs/watch/follow.ts'
export type { OrphanOptions } from './checkpointer/runs/seen/follow-orphans.ts'
export type { OpenQuestion, RunInfo, RunStatus } from './checkpointer/runs/seen/run-info.ts'
export type {
  OpenStream,
  StreamCall,
  StreamCut,
  StreamOptions,
  WhenCut,
} from './checkpointer/runs/streams/options.ts'
export type { StreamSource } from './checkpointer/runs/streams/source.ts'
export type { RetentionPolicy, ThreadRetention } from './checkpointer/removals/retention.ts'
export type { Carried, SyncConflict, Synced, SyncOptions, SyncProgress } from './checkpointer/sync/options.ts'
export type { Thread } from './checkpointer/thread.ts'
export type { WrittenBehind } from './checkpointer/threads/shared.ts'
export type { ForkOptions, LoadOptions, SaveOptions, TaskWrite, Which } from './checkpointer/threads/types.ts'
export type { StepKind } from './checkpointer/runs/journal/entries.ts'
export type { AboutStep } from './checkpointer/runs/journal/unknown.ts'
export type {
  AnswerOptions,
  AskOptions,
  Began,
  Loop,
  LoopFields,
  Retries,
  RunEnd,
  RunOptions,
  StepContext,
  StepOptions,
  UnknownDecision,
  UnknownStep,
  WhenUnknown,
} from './checkpointer/runs/types.ts'
export type { Verification, VerifyOptions } from './checkpointer/upkeep/verification.ts'
export type { Host } from './operations/host.ts'
export type { ClassRegistration, KindRegistration, TypeRegistration } from './state/types.ts'
export type {
  Batch,
  Check,
  CommitResult,
  Key,
  Limits,
  ListedRow,
  ListQuery,
  Put,
  Query,
  Range,
  Row,
  SessionReport,
  Storage,
  Table,
} from './storage/storage.ts'
export type { WorkerLike } from './worker/start.ts'
