import type { CheckpointFields } from '../../checkpoint.ts'
import type { OrUndefined } from '../options/options.ts'

/** What is said about a checkpoint beside its state, and what must hold for it to be saved. */
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
  // Not a whole checkpoint: its step or label may be another's too.
  | { readonly seq: number; readonly id?: never }
  | { readonly id: string; readonly seq?: never }
  | { readonly step: number }
  | { readonly label: string }

/** Where a fork begins, and what it is called. */
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

/** For loads that take long. */
export interface LoadOptions {
  /** Stops a load that takes long; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Told how many bytes of the state are read, and of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** A write of a task, as it is given: `index` is its place in the list unless it says otherwise. */
export interface TaskWrite {
  /** What it is for, in the caller's words. */
  readonly channel: string
  /** Anything that a state may hold. */
  readonly value: unknown
  /** Its place within the task; negative ones are special and overwrite. */
  readonly index?: number | undefined
}
