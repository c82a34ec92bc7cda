import type { PendingWrite } from '../../../checkpoint.ts'
import { CheckpointerError } from '../../../errors.ts'
import type { Host, Place, StoredRun, StoredWrite } from '../../../operations/host.ts'
import type { Codec } from '../../../state/codec.ts'
import { fromBytes } from '../../../state/json-bytes.ts'
import { CHUNKS, readJournal, type Journal } from '../journal/entries.ts'

/**
 * How a run stands:
 * - `running`: a runner has it
 * - `waiting`: for an answer
 * - `orphaned`: it was running, and its runner is gone
 * - `finished`: it has a result
 * - `failed`: it threw, `stopped`: it was aborted; either can be taken up again
 */
export type RunStatus = 'running' | 'waiting' | 'orphaned' | 'finished' | 'failed' | 'stopped'

/** The latest run of a thread, or of a namespace of one. */
export interface RunInfo {
  /** The thread's id. */
  readonly thread: string
  /** The lane within the thread; `''` is the root. */
  readonly namespace: string
  /** Names the run: `thread.run({ runId })` takes it up. */
  readonly runId: string
  /** How it stands now. */
  readonly status: RunStatus
  /** When it was begun, and not when it was resumed. */
  readonly startedAt: Date
  /** When it last came to this status, or was resumed. Not when it saved: its checkpoints say that. */
  readonly updatedAt: Date
  /** Why it has `failed` or was `stopped`, in a few words. `run({ runId })` throws the error itself. */
  readonly error?: string
  /** What it waits for, while it is `waiting`. Absent also where damage keeps it from being read. */
  readonly questions?: readonly OpenQuestion[]
}

/** What a run cannot go on without. */
export interface OpenQuestion {
  /** Names it in an answer. */
  readonly key: string
  /** As `loop.ask` was given it; of a step that is unknown, the step's. */
  readonly name: string
  /** What was asked; of a step of which nobody knows whether it was done, `{ about: 'unknown-step', name, key, attempt }`. */
  readonly question?: unknown
}

/** Where runs are read from. */
export interface RunReader {
  readonly host: Host
  readonly codec: Codec
}

export const infoOfRun = (
  { thread, namespace }: Place,
  { id, status, began, at, why }: StoredRun,
): RunInfo & { readonly status: StoredRun['status'] } => ({
  thread,
  namespace,
  runId: id,
  status,
  startedAt: new Date(began),
  updatedAt: new Date(at),
  ...(why === undefined ? {} : { error: why }),
})

/** The same with its questions, if it waits for answers. */
export async function askingRun(reader: RunReader, place: Place, run: StoredRun): Promise<RunInfo> {
  const info = infoOfRun(place, run)
  if (run.status !== 'waiting') return info
  try {
    return { ...info, questions: await questionsOf(reader, place, run) }
  } catch (error) {
    // One that is damaged must not hide the others.
    if (CheckpointerError.is(error, 'CORRUPT')) return info
    throw error
  }
}

async function questionsOf(
  { host, codec }: RunReader,
  place: Place,
  { id }: StoredRun,
): Promise<OpenQuestion[]> {
  const { head } = await host.head(place)
  if (!head) return []
  const stored = await host.readWrites({ ...place, checkpoint: head.seq })
  const journal = readJournal(
    opened(
      codec,
      stored.filter(({ channel }) => channel !== CHUNKS.channel),
    ),
    id,
  )
  return openQuestions(journal)
}

const openQuestions = ({ steps }: Journal): OpenQuestion[] =>
  steps
    .filter(({ kind, outcome }) => kind === 'question' && !outcome)
    .map(({ key, name, question }) => ({ key, name, ...(question === undefined ? {} : { question }) }))

export const opened = (codec: Codec, writes: readonly StoredWrite[]): PendingWrite[] =>
  writes.map(({ taskId, index, channel, body }) => ({
    taskId,
    index,
    channel,
    value: codec.decode(fromBytes(body)),
  }))
