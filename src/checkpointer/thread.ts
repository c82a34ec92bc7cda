import type { Checkpoint, CheckpointInfo, Snapshot } from '../checkpoint.ts'
import type { HistoryOptions } from './threads/history.ts'
import type { Lease, LeaseOptions } from './leases/lease.ts'
import type { ForkOptions, LoadOptions, SaveOptions, TaskWrite, Which } from './threads/types.ts'
import type { PruneOptions } from './removals/prune-rules.ts'
import type { AnswerOptions, Loop, RunEnd, RunOptions } from './runs/types.ts'
import type { RunInfo } from './runs/seen/run-info.ts'
import type { WatchEvent } from './runs/watch/events.ts'
import type { WatchOptions } from './runs/watch/follow.ts'
import type { LongRemoval, Removed } from './removals/removals.ts'

/** One conversation or run. A handle costs nothing, and nothing is read or written until it is used. */
export interface Thread<State = unknown> {
  /** As `checkpointer.thread` was given it. */
  readonly id: string
  /** The lane that this handle reads and writes; `''` is the root. */
  readonly namespace: string
  /**
   * Saves a state as the thread's new head. The state is captured before this returns, so it may be changed
   * right after; only what differs from the last state is sent and written. Resolves when it is as safe as `durability` says.
   */
  save(state: State, options?: SaveOptions): Promise<CheckpointInfo>
  /** The head, or another checkpoint, with its state and pending writes; `undefined` when there is none such. */
  load(which?: Which, options?: LoadOptions): Promise<Checkpoint<State> | undefined>
  /** The checkpoints with their states, newest first unless `order` says otherwise, read a page at a time. */
  history(options: HistoryOptions & { readonly states: true }): AsyncIterable<Snapshot<State>>
  /**
   * The checkpoints, newest first unless `order` says otherwise, read a page at a time. Without their states, which are
   * not read: `load` gives one, `{ states: true }` all.
   */
  history(options?: HistoryOptions): AsyncIterable<CheckpointInfo>
  /**
   * The head; and behind it those of other stores that have gone on with this thread too, once `sync` has brought them:
   * each ends a branch that no other one follows. None when nothing was ever saved.
   */
  heads(): Promise<readonly CheckpointInfo[]>
  /** Of several heads, the one that loads and saves go on from, by seq or id. The others stay, as branches. */
  chooseHead(ref: number | string): Promise<CheckpointInfo>
  /** The thread's namespaces that have checkpoints, by name; `''` is the root. */
  namespaces(): Promise<readonly string[]>
  /** A new thread that shares all up to a checkpoint and goes on by itself. Costs the same at any length. */
  fork(options?: ForkOptions<State>): Promise<Thread<State>>
  /** The whole thread again under another id: all namespaces, branches and pending writes. */
  copy(as: string): Promise<Thread<State>>
  /** Removes old checkpoints by rules. What forks still show stays for them. */
  prune(options: PruneOptions): Promise<Removed>
  /** Removes these checkpoints, by seq or id; unknown ones are passed over. The others stay whole. */
  deleteCheckpoints(refs: readonly (number | string)[], options?: LongRemoval): Promise<Removed>
  /** Removes what a run has saved, in all namespaces. */
  deleteRun(runId: string, options?: LongRemoval): Promise<Removed>
  /** Deletes the thread with all its namespaces. Its forks stay. Resolves to whether there was one. */
  delete(): Promise<boolean>
  /**
   * Keeps the outcome of a task until its step becomes a checkpoint. A pair of task and index is written once;
   * negative indexes are special and overwrite.
   */
  putWrites(checkpoint: number | string, taskId: string, writes: readonly TaskWrite[]): Promise<void>
  /**
   * Waits until no other runner, in any tab, has this thread's lease, and takes it. From then on what this handle
   * writes is refused with `LEASE_LOST` once another has taken over, until it is released or a new one is taken.
   * Handles without a lease are not held up by it.
   */
  lease(options?: LeaseOptions): Promise<Lease>
  /**
   * Runs an agent's loop on this thread, as the only one in all tabs, and resolves when it has ended. A run that did not
   * end (a reload, a crash) goes on from its last checkpoint, and does no step again whose outcome is stored. Rejects
   * with what the loop throws; that is recorded, and the run can be resumed.
   */
  run<Result>(
    options: RunOptions<State>,
    loop: (loop: Loop<State>) => Result | PromiseLike<Result>,
  ): Promise<RunEnd<Awaited<Result>>>
  /** Answers what the thread's run asks (`loop.ask`): `NOT_FOUND` when it asks nothing, `CONFLICT` when it was answered. */
  answer(value: unknown, options?: AnswerOptions): Promise<void>
  /** How the latest run stands now; `undefined` when there was none. */
  latestRun(): Promise<RunInfo | undefined>
  /**
   * Follows this thread and its run, from any tab, without a lease and without writing: its states, how the run and its
   * steps stand, and what streams give, live. What is there already comes first. It ends when the loop is left, with
   * the signal, or when the checkpointer is closed. While nobody asks for the next, what comes is put together.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<State>>
}
