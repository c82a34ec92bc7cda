import type { Counts } from '../../counting-storage.ts'
import type { Timing } from './timing.ts'

/** What the page offers to the program that drives it. Raw timings only: judging them is done outside. */
export interface BenchPage {
  saves(options: { readonly steps: number; readonly kind: Kind }): Promise<SaveTimings>
  burst(options: { readonly steps: number; readonly id: string }): Promise<Timing[]>
  behind(options: { readonly steps: number }): Promise<BehindTimings>
  steps(options: { readonly times: number }): Promise<StepTimings>
  bytes(options: { readonly steps: number }): Promise<BytesHanded>
  /** To be called once, on a page that is new. */
  coldLoad(options: { readonly rawFirst: boolean }): Promise<LoadTimings>
  freshWorkerLoads(options: { readonly times: number }): Promise<LoadTimings[]>
  warmLoads(options: { readonly times: number }): Promise<LoadTimings[]>
  histories(options: { readonly times: number; readonly steps: number }): Promise<LoadTimings[]>
  forks(options: { readonly times: number }): Promise<ForkTimings>
  background(options: { readonly steps: number; readonly runs: number }): Promise<BackgroundTimings>
  removals(options: { readonly prune: string; readonly delete: string }): Promise<RemovalTimings>
}

/** Whether the state is changed in place, or made anew and frozen. */
export type Kind = 'plain' | 'frozen'

export const CONTENDERS = ['floor', 'naive', 'forkpoint'] as const
export type Contender = (typeof CONTENDERS)[number]
/** A timing for each step. */
export type SaveTimings = Record<Contender, Timing[]>

/** Milliseconds for each save, until all are durable. */
export interface BehindTimings {
  readonly sync: number
  readonly async: number
}

/** A raw put; a step of a run; two of them, one right after the other; one that changes something outside. */
export const STEPPERS = ['raw', 'plain', 'two', 'external'] as const
export type Stepper = (typeof STEPPERS)[number]
/** Milliseconds until the caller goes on, for each. */
export type StepTimings = Record<Stepper, number[]>

export interface LoadTimings {
  readonly raw: Timing
  readonly forkpoint: Timing
}

export interface ForkTimings {
  /** At the head of the thread with 10 checkpoints, at the head of the long one, and at its tenth. */
  readonly short: number[]
  readonly long: number[]
  readonly early: number[]
}

export interface BytesHanded {
  readonly counts: Counts
  /** Of the final state, as JSON. */
  readonly state: number
  /** What the database then holds, as it tells it. */
  readonly stored: number
}

/** What lets old checkpoints go behind the saves. */
export const KEEPERS = ['keepLast', 'olderThan', 'maxBytes'] as const
export type Keeper = (typeof KEEPERS)[number]

/** Milliseconds of each save, beside each of these and beside nothing; and how many checkpoints each has left. */
export interface BackgroundTimings {
  readonly saves: Record<Keeper | 'nothing', number[]>
  readonly left: Record<Keeper, number>
}

export interface RemovalTimings {
  readonly prune: number
  readonly deletePruned: number
  readonly deleteWhole: number
}

declare global {
  // oxlint-disable-next-line no-var
  var benchDetails: BenchPage | undefined
}
