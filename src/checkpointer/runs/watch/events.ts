import type { Checkpoint } from '../../../checkpoint.ts'
import type { StepKind } from '../entries.ts'
import type { RunInfo } from '../run-info.ts'

/** What is seen of a thread and its run while they go on, in whichever tab. */
export type WatchEvent<State = unknown> = StateEvent<State> | RunEvent | StepEvent | ChunksEvent

/** The head: first the one that is there, then each new one; of many that come fast, the last. */
export interface StateEvent<State> {
  readonly type: 'state'
  readonly checkpoint: Checkpoint<State>
}

/** The run has begun, was resumed, waits, or has ended. That its runner is gone is for `onOrphan` to say. */
export interface RunEvent {
  readonly type: 'run'
  readonly run: RunInfo
}

/** How a step stands; `started` again with each attempt. */
export interface StepEvent {
  readonly type: 'step'
  /** The step's own, the same on every attempt. */
  readonly key: string
  readonly name: string
  readonly kind: StepKind
  readonly status: 'started' | 'done' | 'failed' | 'waiting'
  /** From 1. */
  readonly attempt: number
  /** What is asked. */
  readonly question?: unknown
}

/** What a stream has given since: in order, none twice, none missing. A new attempt begins again from 0. */
export interface ChunksEvent {
  readonly type: 'chunks'
  readonly key: string
  readonly name: string
  readonly attempt: number
  readonly chunks: readonly unknown[]
  /** How many chunks of this attempt came before these. */
  readonly from: number
}
