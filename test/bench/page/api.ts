import type { Shape } from '../workloads.ts'
import type { Handed } from './handed.ts'
import type { Timing } from './timing.ts'

/** What the page offers to the program that drives it, for the contender that it was opened for. */
export interface BenchPage {
  open(): Promise<number>
  /** What the next saves begin with; saved once, untimed, where the workload begins with something. */
  begin(of: { readonly thread: string; readonly shape: Shape }): Promise<void>
  /** Saves so many further steps. Ends early when `budget` milliseconds were spent in saves. */
  saves(of: SavesAsked): Promise<SavesDone>
  /** Steps that nobody measures, of many threads at once: `prefix` and a number. How many threads came to be. */
  seed(of: SeedAsked): Promise<number>
  /** One answer; of one that is watched only what it kept the page from counts. */
  stream(of: StreamAsked): Promise<Timing>
  /** Saves the step `to` without those before it, where the budget did not reach so far. */
  jump(of: { readonly thread: string; readonly shape: Shape; readonly to: number }): Promise<void>
  /** Whether what is loaded is what was saved is looked at with `check`, outside of the time. */
  load(of: { readonly thread: string; readonly check?: boolean }): Promise<number>
  list(): Promise<number>
  page(of: { readonly thread: string; readonly most: number }): Promise<number>
  fork(of: ForkAsked): Promise<number>
  prune(of: { readonly thread: string; readonly keep: number }): Promise<number>
  /** Bytes, of the page and its workers. */
  memory(): Promise<number | undefined>
  /** Since the last time. */
  handed(): Promise<Handed>
  /** Bytes of private files on the disk, of this origin. */
  files(): Promise<number>
  close(): Promise<void>
}

export interface SavesAsked {
  readonly thread: string
  readonly shape: Shape
  readonly count: number
  readonly frozen: boolean
  readonly pause: number
  readonly watched: number
  readonly budget: number
}

interface SavesDone {
  readonly timings: readonly Timing[]
  /** Of the budget. */
  readonly spent: number
}

export interface SeedAsked {
  readonly prefix: string
  readonly threads: number
  readonly steps: number
  readonly shape: Shape
  readonly budget: number
}

export interface StreamAsked {
  readonly thread: string
  /** Tokens. */
  readonly count: number
  readonly watched: boolean
}

interface ForkAsked {
  readonly thread: string
  /** The latest when absent. */
  readonly at?: number
  readonly as: string
  /** Given where the fork is saved to after that. */
  readonly shape?: Shape
}

declare global {
  // oxlint-disable-next-line no-var
  var bench: BenchPage | undefined
}
