import type { CheckpointFields, CheckpointInfo } from '../../checkpoint.ts'
import type { Lease } from '../leases/lease.ts'
import type { OrUndefined } from '../options/options.ts'
import type { OpenStream, StreamOptions } from './streams/options.ts'
import type { StreamSource } from './streams/source.ts'
import type { Which } from '../threads/types.ts'

/** How a run begins, or goes on. */
export interface RunOptions<State = unknown> {
  /** The state of a new thread; or what makes it. `{}` when absent. */
  readonly initial?: State | (() => State) | undefined
  /**
   * Names the run: called again with it, an unfinished run goes on, and a finished one is not run again. Another one is
   * refused with `CONFLICT` while the thread's run is `running`, `waiting` or `orphaned`, or an external step of it may
   * or may not have been done; `from` leaves it behind. One is made when absent.
   */
  readonly runId?: string | undefined
  /** Stops the run. It can be resumed. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for the thread's lease: `true` (the default), `false`, or milliseconds. Then `BLOCKED`. */
  readonly wait?: boolean | number | undefined
  /** Take the thread over at once, whoever runs it. */
  readonly steal?: boolean | undefined
  /** Begins a new run at an earlier checkpoint, on a branch of its own. Nothing that came after it is reused. */
  readonly from?: Which | undefined
  /**
   * Begins a new run with a change of the state: in the draft given, or by returning another one. Passed over when the
   * run that `runId` names is there already.
   */
  readonly edit?: ((draft: State) => State | void | Promise<State | void>) | undefined
  /** Resuming a run that failed by the error of a step: does what had failed again, rather than throw the same error. */
  readonly retry?: boolean | undefined
}

/** How a run came to its end. */
export interface RunEnd<Result = unknown> {
  /** `already-finished`: nothing was run, the result is that of the run of this id. */
  readonly began: Began | 'already-finished'
  /** A run that failed or was stopped rejects instead. */
  readonly status: 'finished'
  /** What the loop returned, or gave to `done`. */
  readonly result: Result
  /** Names the run. */
  readonly runId: string
}

/** Whether a run is a new one, or goes on where it was cut off. */
export type Began = 'fresh' | 'resumed'

/** What a loop does its work through. Whatever is not done through it is done again when the run is resumed. */
export interface Loop<State = unknown> {
  /** The thread's state: yours to change, or to replace. Stored by `save`, and when the run ends. */
  state: State
  /** Names the run; the same when it is resumed. */
  readonly runId: string
  /** Whether this run is a new one. */
  readonly began: Began
  /** Aborted when the run is stopped, or another runner has taken over: its reason says which. */
  readonly signal: AbortSignal
  /** Of the lease; rises from runner to runner. Give it to others that are to refuse one that was replaced. */
  readonly token: number
  /** For other handles on this thread, `checkpointer.thread(id, { namespace, lease: loop.lease })`: also to run a part of it. */
  readonly lease: Lease
  /**
   * A checkpoint of the state: where a resumed run goes on. Steps before it are not looked up any more, so `state` must
   * say what has been done.
   */
  save(fields?: LoopFields): Promise<CheckpointInfo>
  /**
   * Does something once: a resumed run gets its outcome, and does not do it again. That holds until the next `save()`:
   * behind that, `state` must say that it was done. What took a millisecond or longer, or is `external`, is stored when
   * this resolves; what came at once, a moment later.
   */
  step<T>(
    name: string,
    work: (step: StepContext) => T | PromiseLike<T>,
    options?: StepOptions<Awaited<T>>,
  ): Promise<Awaited<T>>
  /**
   * Passes on chunks at once, and keeps them behind your back: a resumed run gets them again without its source, and
   * `whenCut` says what becomes of a stream that was cut off.
   */
  stream<Chunk>(
    name: string,
    source: StreamSource<Chunk> | OpenStream<Chunk>,
    options?: StreamOptions<Chunk>,
  ): AsyncIterable<Chunk>
  /** Asks a person. The run waits, without its lease, until `thread.answer` is called, from any tab, also after a reload. */
  ask<Answer = unknown>(question: unknown, options?: AskOptions): Promise<Answer>
  /** Ends the run with this result, at once. What the loop returns after it does not matter. */
  done(result?: unknown): Promise<void>
}

/** What `loop.save` may say about its checkpoint. */
export type LoopFields = OrUndefined<Omit<CheckpointFields, 'runId'>>

/** What the work of a step is given. */
export interface StepContext {
  /** As `loop.step` was given it. */
  readonly name: string
  /** The same for each attempt at this step, also after a crash: an idempotency key for others. */
  readonly key: string
  /** From 1. */
  readonly attempt: number
  /** Aborted when the run is, or when the time of this attempt is over. */
  readonly signal: AbortSignal
  /** Of the lease, as `loop.token`. */
  readonly token: number
  /** Begins a step that is part of this one: when this one is tried again, it is not done again if it was done. */
  readonly step: Loop['step']
}

/** What becomes of a step that fails, or of which nobody knows how it ended. */
export interface StepOptions<T = unknown> {
  /** `external`: it changes something outside, so that to do it twice is not the same as to do it once. */
  readonly effect?: 'external' | 'none' | undefined
  /**
   * When it was begun, and nobody knows how it ended: run it again, ask a person, or give `undefined` in its place.
   * `ask` when absent for an external one, else `retry`.
   */
  readonly whenUnknown?: WhenUnknown<T> | undefined
  /** How often to try again after an error. Not at all when absent. */
  readonly retries?: number | Retries | undefined
  /** Milliseconds for one attempt. No limit when absent. */
  readonly timeout?: number | undefined
}

/** How often a step is tried again, and when. */
export interface Retries {
  /** How often, after the first attempt. */
  readonly times: number
  /** Milliseconds before the second attempt; 250 when absent. */
  readonly delay?: number | undefined
  /** How much longer each pause is than the one before; 2 when absent. */
  readonly factor?: number | undefined
  /** The longest pause; 30 seconds when absent. */
  readonly most?: number | undefined
  /** Whether to try again after this error. Always when absent. */
  readonly when?: ((error: unknown, attempt: number) => boolean) | undefined
}

/**
 * What to do about a step of which nobody knows whether it was done: see `UnknownDecision`. A function decides by
 * the step.
 */
export type WhenUnknown<T = unknown> =
  | 'retry'
  | 'ask'
  | 'skip'
  | ((step: UnknownStep) => UnknownDecision<T> | 'ask' | Promise<UnknownDecision<T> | 'ask'>)

/** A step that was begun, and of which nobody knows whether it was done. */
export interface UnknownStep {
  /** As `loop.step` was given it. */
  readonly name: string
  /** The same on every attempt: ask the other side by it. */
  readonly key: string
  /** How often it was begun. */
  readonly attempt: number
}

/** What to do about it; also what `thread.answer` takes for it. `value` is what it has given, `error` why it failed. */
export type UnknownDecision<T = unknown> =
  | 'retry'
  | 'skip'
  | { readonly value: T }
  | { readonly error: unknown }

/** What `loop.ask` may be told beside its question. */
export interface AskOptions {
  /** Tells questions apart where there are several; `question` when absent. */
  readonly name?: string | undefined
}

/** Which question of a run is answered. */
export interface AnswerOptions {
  /**
   * Which question, by its key, as `questions` of `latestRun()` has it; of a step that may or may not have been done, the
   * step's own key does too. The one that was asked first when absent.
   */
  readonly key?: string | undefined
}
