/**
 * A run's journal: pending writes of the checkpoint that it goes on from, a task for each step.
 *
 * | index | channel | value |
 * | --- | --- | --- |
 * | 0 | `forkpoint:step` | `Intent`: it was going to run |
 * | -1 | `forkpoint:attempt` | how often it was begun, from the second time on |
 * | -2 | `forkpoint:outcome` | `Outcome`: it has run |
 * | 1 | `forkpoint:outcome` | the same of a question: whoever answers first has answered |
 * | 2 … | `forkpoint:chunks` | `ChunkBatch`: what a stream has given so far |
 *
 * How a run has ended stands beside them, as `forkpoint:end` of a task of its own.
 */
import type { PendingWrite } from '../../../checkpoint.ts'
import { CheckpointerError } from '../../../errors.ts'
import { revived } from './kept-error.ts'

export const INTENT = { channel: 'forkpoint:step', index: 0 } as const
export const ATTEMPT = { channel: 'forkpoint:attempt', index: -1 } as const
export const OUTCOME = { channel: 'forkpoint:outcome', index: -2 } as const
export const ANSWER = { channel: 'forkpoint:outcome', index: 1 } as const
export const CHUNKS = { channel: 'forkpoint:chunks', index: 2 } as const
export const END = { channel: 'forkpoint:end', index: 0 } as const

/** What a loop does through `step`, `stream` and `ask`. */
export type StepKind = 'step' | 'stream' | 'question'

export interface Intent {
  readonly runId: string
  readonly kind: StepKind
  readonly name: string
  /** Which of the steps of this name since the checkpoint it is, from 1. */
  readonly nth: number
  /** Its place among the steps since the checkpoint, in the order in which they were begun, from 1. */
  readonly order: number
  /** The orders of those that were under way then: it may be part of one of them. */
  readonly within: readonly number[]
  /** The key of the step that it is part of, if it was begun by what that one is given. */
  readonly parent?: string
  /** It changes something outside: to do it twice is not the same as to do it once. */
  readonly external: boolean
  /** Of a question: what is asked. */
  readonly question?: unknown
}

export type Outcome = {
  /** Which attempt has come to it: one that was begun later may have done something since. */
  readonly attempt?: number
  /** And which attempt of the step that it is part of. */
  readonly parentAttempt?: number
} & (
  | { readonly value: unknown }
  | { readonly error: unknown }
  /** Of a stream: how many chunks of its last attempt there are, and whether that is all there was to come. */
  | { readonly chunks: number; readonly isWhole: boolean }
)

/** Chunks that came one after another, in the attempt of this number. */
interface ChunkBatch {
  readonly attempt: number
  /** How many came before them in this attempt: so a batch that is missing is seen. */
  readonly from: number
  readonly chunks: readonly unknown[]
}

export type End = { readonly runId: string } & (
  | { readonly status: 'finished'; readonly result: unknown }
  | {
      readonly status: 'failed' | 'stopped'
      readonly error: unknown
      /** The steps whose errors it was, or that failed beside them. */
      readonly keys?: readonly string[]
    }
)

/** One step as the journal knows it; its key is the id of its task. */
export interface JournalStep extends Intent {
  readonly key: string
  readonly attempt: number
  readonly outcome?: Outcome
  /** By where they stand among the writes of its task. */
  readonly batches: readonly (ChunkBatch & { readonly index: number })[]
}

/** What the pending writes of a checkpoint say of a run. */
export interface Journal {
  /** In the order in which they were begun. */
  readonly steps: readonly JournalStep[]
  /** How it ended, when it did: the last time. */
  readonly end?: End
}

export function readJournal(writes: readonly PendingWrite[], runId: string): Journal {
  const steps = tasksOf(writes).flatMap((task) => stepOf(task, runId) ?? [])
  const ends = writes
    .filter(({ channel }) => channel === END.channel)
    .map(({ value }) => value as End)
    .filter((end) => isRecord(end) && end.runId === runId)
  const end = ends.at(-1)
  return { steps: steps.sort((a, b) => a.order - b.order), ...(end ? { end } : {}) }
}

function tasksOf(writes: readonly PendingWrite[]): PendingWrite[][] {
  const tasks = new Map<string, PendingWrite[]>()
  for (const write of writes) {
    const task = tasks.get(write.taskId)
    if (task) task.push(write)
    else tasks.set(write.taskId, [write])
  }
  return [...tasks.values()]
}

function stepOf(task: readonly PendingWrite[], runId: string): JournalStep | undefined {
  const intent = valueAt(task, INTENT)
  if (intent === undefined) return undefined
  if (!isIntent(intent)) throw misread(task)
  if (intent.runId !== runId) return undefined
  const attempt = valueAt(task, ATTEMPT) ?? 1
  const outcome = valueAt(task, OUTCOME) ?? valueAt(task, ANSWER)
  const batches = task.filter(({ channel }) => channel === CHUNKS.channel).sort((a, b) => a.index - b.index)
  if (
    typeof attempt !== 'number' ||
    !(outcome === undefined || isOutcome(outcome)) ||
    !batches.every(({ value }) => isBatch(value))
  )
    throw misread(task)
  return {
    ...intent,
    key: (task[0] as PendingWrite).taskId,
    attempt,
    batches: batches.map(({ index, value }) => ({ ...(value as ChunkBatch), index })),
    ...(outcome && (outcome.attempt ?? attempt) === attempt ? { outcome: alive(outcome) } : {}),
  }
}

const alive = (outcome: Outcome): Outcome =>
  'error' in outcome ? { ...outcome, error: revived(outcome.error) } : outcome

const valueAt = (
  task: readonly PendingWrite[],
  at: { readonly channel: string; readonly index: number },
): unknown => task.find(({ channel, index }) => channel === at.channel && index === at.index)?.value

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isIntent = (value: unknown): value is Intent =>
  isRecord(value) &&
  typeof value['runId'] === 'string' &&
  typeof value['name'] === 'string' &&
  typeof value['nth'] === 'number' &&
  typeof value['order'] === 'number' &&
  Array.isArray(value['within'])

const isOutcome = (value: unknown): value is Outcome =>
  isRecord(value) && ('value' in value || 'error' in value || 'chunks' in value)

const isBatch = (value: unknown): value is ChunkBatch =>
  isRecord(value) &&
  typeof value['attempt'] === 'number' &&
  typeof value['from'] === 'number' &&
  Array.isArray(value['chunks'])

/** To pass over it could mean to do something twice. */
const misread = (task: readonly PendingWrite[]): CheckpointerError =>
  new CheckpointerError(
    'CORRUPT',
    `The journal has an entry that cannot be understood (task '${task[0]?.taskId}'). Begin anew from the checkpoint, with { from }.`,
  )
