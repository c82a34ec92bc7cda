import type { Checkpoint, CheckpointFields, CheckpointInfo, Snapshot } from '../../checkpoint.ts'
import type { HistoryOptions } from './history.ts'
import type { Lease, LeaseOptions } from '../leases/lease.ts'
import type { OrUndefined } from '../options/options.ts'
import type { PruneOptions } from '../removals/prune-rules.ts'
import type { LongRemoval, Removed } from '../removals/removals.ts'

export interface SaveOptions extends OrUndefined<CheckpointFields> {
  /** An id of your own; unique within the thread and namespace. One is made when absent. */
  readonly id?: string | undefined
  /** The checkpoint that this one continues, by seq or id; `null` for none. The head when absent. */
  readonly parent?: number | string | null | undefined
  /**
   * Save only if this is the head, by seq or id (`null`: only if there is none), else reject with `CONFLICT`.
   * Never `undefined`, which would be no check at all: `head?.id ?? null`.
   */
  readonly expect?: number | string | null
}

/** Which checkpoint: by seq, by id, by step, or by label (the latest one that fits). */
export type Which =
  | number
  | string
  | { readonly seq: number }
  | { readonly id: string }
  | { readonly step: number }
  | { readonly label: string }

export interface ForkOptions<State> {
  /** The checkpoint to start from. The head when absent. */
  readonly at?: Which | undefined
  /** Changes the state that the fork starts with: in the draft given, or by returning another one. */
  readonly edit?: ((draft: State) => State | void | Promise<State | void>) | undefined
  /** The id of the new thread. One is made when absent. */
  readonly as?: string | undefined
  /** Names the new thread, and its first checkpoint when there is an edit. `fork-of:<thread>` when absent. */
  readonly label?: string | undefined
}

export interface LoadOptions {
  /** Stops a load that takes long; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Told how many bytes of the state are read, and of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** A write of a task, as it is given: `index` is its place in the list unless it says otherwise. */
export interface TaskWrite {
  readonly channel: string
  readonly value: unknown
  readonly index?: number | undefined
}

/** One conversation or run. A handle costs nothing, and nothing is read or written until it is used. */
export interface Thread<State = unknown> {
  readonly id: string
  readonly namespace: string
  /**
   * Saves a state as the thread's new head. The state is captured before this returns, so it may be changed
   * right after; only what differs from the last state is sent and written. Resolves when it is as safe as `durability` says.
   */
  save(state: State, options?: SaveOptions): Promise<CheckpointInfo>
  /** The head, or another checkpoint, with its state and pending writes; `undefined` when there is none such. */
  load(which?: Which, options?: LoadOptions): Promise<Checkpoint<State> | undefined>
  /** The checkpoints, newest first unless `order` says otherwise, read a page at a time. */
  history(options: HistoryOptions & { readonly states: true }): AsyncIterable<Snapshot<State>>
  history(options?: HistoryOptions): AsyncIterable<CheckpointInfo>
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
}
