import type { Checkpoint } from '../../../checkpoint.ts'
import type { StepKind } from '../journal/entries.ts'
import type { RunInfo } from '../seen/run-info.ts'

/** What is seen of a thread and its run while they go on, in whichever tab. */
export type WatchEvent<State = unknown> = StateEvent<State> | RunEvent | StepEvent | ChunksEvent

/** The head: first the one that is there, then each new one; of many that come fast, the last. */
export interface StateEvent<State> {
  /** Tells this event from others. */
  readonly type: 'state'
  /** The head, with its state. */
  readonly checkpoint: Checkpoint<State>
}

/** The run has begun, was resumed, waits, or has ended. That its runner is gone is for `onOrphan` to say. */
export interface RunEvent {
  /** Tells this event from others. */
  readonly type: 'run'
  /** How it stands now. */
  readonly run: RunInfo
}

/** How a step stands; `started` again with each attempt. */
export interface StepEvent {
  /** Tells this event from others. */
  readonly type: 'step'
  /** The step's own, the same on every attempt. */
  readonly key: string
  /** As the loop has named it. */
  readonly name: string
  /** Whether it is a step, a stream or a question. */
  readonly kind: StepKind
  /** `waiting`: for an answer. */
  readonly status: 'started' | 'done' | 'failed' | 'waiting'
  /** From 1. */
  readonly attempt: number
  /** What is asked. */
  readonly question?: unknown
}

/** What a stream has given since: in order, none twice, none missing. A new attempt begins again from 0. */
export interface ChunksEvent {
  /** Tells this event from others. */
  readonly type: 'chunks'
  /** The stream's own, the same on every attempt. */
  readonly key: string
  /** As `loop.stream` was given it. */
  readonly name: string
  /** From 1. */
  readonly attempt: number
  /** What has come since the last event. */
  readonly chunks: readonly unknown[]
  /** How many chunks of this attempt came before these. */
  readonly from: number
}
