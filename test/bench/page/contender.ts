import type { AgentState, Message } from '../agent-loop.ts'
import type { Answer } from './answer.ts'

/** One save: the state as the application has it, and what the step has changed in it. */
export interface Step {
  readonly thread: string
  readonly seq: number
  readonly state: AgentState
  readonly change: Change
}

interface Change {
  readonly added?: readonly Message[]
}

/** What everyone does who is measured, in the way that its documentation shows. */
export interface Contender {
  /** Until it can be asked; the database is made when there is none. */
  open(): Promise<unknown>
  /** Resolves when it is stored, as far as that is told. */
  save(step: Step): Promise<unknown>
  /** Steps beside each other or in one go, whatever is fastest, in order within a thread. One by one when absent. */
  seed?(steps: readonly Step[]): Promise<unknown>
  /** What it took to seed is put away. */
  seeded?(): Promise<unknown>
  /** Stores an answer while it comes in. When absent, the state is saved every 50 ms with what is there of it. */
  stream?(answer: Answer): Promise<unknown>
  /** Saves a step once more, whose state has grown. As it is saved first when absent. */
  resave?(step: Step): Promise<unknown>
  /** The latest state. */
  load(thread: string): Promise<unknown>
  /** Up to 50 threads, the latest first where there is an order; how many came. */
  list?(): Promise<number>
  /** The latest checkpoints, without their states; how many came. */
  page?(thread: string, most: number): Promise<number>
  /** A thread `as`, which goes on from this checkpoint, or from the latest. */
  fork?(thread: string, at: number | undefined, as: string): Promise<unknown>
  /** Only the latest checkpoints stay. */
  prune?(thread: string, keep: number): Promise<unknown>
  close(): Promise<unknown>
  /** Untimed, behind the last step of a thread: what the floor needs to be asked for it. */
  finish?(step: Step): Promise<unknown>
}

export const LISTED = 50
