import type { Checkpoint, CheckpointInfo } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import type { StoredRun } from '../../operations/host.ts'
import { newId } from '../new-id.ts'
import { edited } from '../threads/edited.ts'
import { untilAborted } from '../until-aborted.ts'
import { END, OUTCOME, readJournal, type End, type Journal, type JournalStep } from './journal/entries.ts'
import { endEntry } from './ending.ts'
import type { Ground, Loaded } from './ground/ground.ts'
import { endOf, latestOf } from './of-run.ts'
import { RunState, withStatus } from './run-state.ts'
import type { Turn } from './ground/turn.ts'
import type { Began, RunOptions } from './types.ts'

/** What a run goes on from; or its end, when it has one already. */
export type Beginning<State> =
  | {
      readonly began: Began
      readonly state: RunState<State>
      readonly draft: State
      readonly journal: Journal
      readonly again: ReadonlySet<string>
    }
  | { readonly began: 'already-finished'; readonly end: End & { readonly status: 'finished' } }

type Asked<State> = Pick<RunOptions<State>, 'initial' | 'runId' | 'from' | 'edit' | 'retry'>

const NO_STEPS: Journal = { steps: [] }

/** Decides, under the lease, whether a run is new, goes on, or has ended, and says so in the thread's row. */
export async function begin<State>(turn: Turn<State>, asked: Asked<State>): Promise<Beginning<State>> {
  const { ground } = turn
  const { from, edit, retry } = asked
  const head = await ground.load()
  turn.signal.throwIfAborted()
  // There is nothing to try again of a run that has its result; a new one is not meant.
  const isOver = retry && head?.run?.status === 'finished' && from === undefined && edit === undefined
  const runId = asked.runId ?? (isOver ? head?.run?.id : undefined)
  const unfinished = head?.run?.status === 'finished' ? undefined : head?.run
  if (head && unfinished) {
    const isNew = from !== undefined || edit !== undefined || runId !== undefined
    if (runId === unfinished.id || !isNew) return resume(turn, head, unfinished, asked)
    if (from === undefined) await refuseToLeave(ground, unfinished, head)
  }
  if (runId !== undefined) {
    const end = await endOf(ground, runId, turn.signal)
    if (end) return finished(end, runId, head?.checkpoint.runId === runId)
  }
  return fresh(turn, asked, head, unfinished)
}

async function fresh<State>(
  turn: Turn<State>,
  asked: Asked<State>,
  head: Loaded<State> | undefined,
  unfinished: StoredRun | undefined,
): Promise<Beginning<State>> {
  const { ground } = turn
  const { from, edit, initial } = asked
  const start = from === undefined ? head : await ground.load(from)
  if (from !== undefined && !start)
    throw new CheckpointerError(
      'NOT_FOUND',
      `Thread '${ground.thread}' has no such checkpoint to run from.`,
      {
        thread: ground.thread,
      },
    )
  const made = start ? start.checkpoint.state : initialOf(ground, initial)
  const draft = edit ? await untilAborted(turn.signal, () => edited(made, edit)) : made
  if (head && unfinished) {
    // What cannot be stored is refused before anything is written.
    ground.codec.capture(draft)
    await leave(turn, unfinished, head)
  }
  const now = Date.now()
  const run: StoredRun = { id: asked.runId ?? newId(), status: 'running', turn: turn.id, began: now, at: now }
  const saved = await ground.save(
    draft,
    {
      source: start?.checkpoint.seq === head?.checkpoint.seq ? 'input' : 'fork',
      runId: run.id,
      expect: head?.checkpoint.seq ?? null,
      ...(from === undefined || !start ? {} : { parent: start.checkpoint.seq }),
    },
    { run },
    turn.lease,
  )
  const state = new RunState(turn, run, saved.seq)
  return { began: 'fresh', state, draft, journal: NO_STEPS, again: new Set() }
}

/** The caller's own object stays as it is: the draft is a copy. */
function initialOf<State>(ground: Ground<State>, initial: RunOptions<State>['initial']): State {
  const made = typeof initial === 'function' ? (initial as () => State)() : initial
  return ground.codec.decode(ground.codec.capture(made === undefined ? {} : made).state) as State
}

async function resume<State>(
  turn: Turn<State>,
  head: Loaded<State>,
  latest: StoredRun,
  { retry }: Asked<State>,
): Promise<Beginning<State>> {
  const { ground } = turn
  const { checkpoint } = head
  const journal = await journalOf(ground, checkpoint, latest)
  const run = { ...withStatus(latest, 'running'), turn: turn.id }
  await ground.putWrites({ checkpoint: checkpoint.seq, writes: [], run }, turn.lease)
  const state = new RunState(turn, run, checkpoint.seq)
  const { end } = journal
  const again = new Set(retry && end?.status === 'failed' ? end.keys : [])
  const streams = journal.steps.filter(({ key, kind }) => kind === 'stream' && again.has(key))
  if (streams.length > 0) await forgetOutcomes(turn, checkpoint.seq, streams)
  return { began: 'resumed', state, draft: checkpoint.state, journal, again }
}

/** A stream may be continued as the same attempt: then nothing else would say that it goes on. */
function forgetOutcomes<State>(
  { ground, lease }: Turn<State>,
  checkpoint: number,
  steps: readonly JournalStep[],
): Promise<void> {
  const { index } = OUTCOME
  const tasks = steps.map(({ key }) => key)
  return ground.dropWrites({ checkpoint, tasks, from: index, until: index + 1 }, lease)
}

/** The journal of the run's latest checkpoint; empty where others have saved behind it and it had done nothing yet. */
async function journalOf<State>(
  ground: Ground<State>,
  head: Checkpoint<State>,
  run: StoredRun,
): Promise<Journal> {
  const { last, journal } = await lastOf(ground, head, run.id)
  if (last && last.seq !== head.seq && journal.steps.length > 0) throw overtaken(run, last)
  return journal
}

/** What a run has saved last, which need not be the head, and the journal that belongs to it. */
async function lastOf<State>(
  ground: Ground<State>,
  head: Checkpoint<State>,
  runId: string,
): Promise<{ readonly last?: CheckpointInfo; readonly journal: Journal }> {
  if (head.runId === runId) return { last: head, journal: readJournal(head.pendingWrites, runId) }
  const last = await latestOf(ground, runId)
  if (!last) return { journal: NO_STEPS }
  const { writes } = await ground.journalOf(last.seq)
  return { last, journal: readJournal(writes, runId) }
}

/**
 * It will not be gone on with: so that its id is not taken for that of a new one. Written before the new one is there:
 * a run that is left and has no end would be done again under its id, while one that was not left after all goes on as
 * if this were not there. How it has ended before stays the last word: it says which steps to try again.
 */
async function leave<State>(
  turn: Turn<State>,
  { id }: StoredRun,
  { checkpoint }: Loaded<State>,
): Promise<void> {
  const { ground } = turn
  const last = checkpoint.runId === id ? checkpoint : await latestOf(ground, id)
  if (!last || readJournal(await ground.writesOn(last.seq, END.channel), id).end) return
  const end: End = { runId: id, status: 'stopped', error: new Error('It was left for another run.') }
  await ground.putWrites({ checkpoint: last.seq, writes: [endEntry(end, ground.codec)] }, turn.lease)
}

/** What is not known to be done or not done must not be forgotten on the way to something new. */
async function refuseToLeave<State>(
  ground: Ground<State>,
  { id, status }: StoredRun,
  { checkpoint }: Loaded<State>,
): Promise<void> {
  const { thread } = ground
  const { last, journal } = await lastOf(ground, checkpoint, id)
  const unknown = journal.steps.find((step) => step.external && !step.outcome)
  const isLive = status === 'running' || status === 'waiting'
  if (!unknown && !isLive) return
  const why = unknown ? `nobody knows whether its step '${unknown.name}' was done` : `it is ${status}`
  const isBehind = journal.steps.length > 0 && last?.seq !== checkpoint.seq
  const how = isBehind
    ? 'Others have saved behind it since, so it is not resumed. Leave'
    : `Resume it with { runId: '${id}' }, or leave`
  throw new CheckpointerError(
    'CONFLICT',
    `Thread '${thread}' has a run that has not ended ('${id}'), and ${why}. ${how} it behind with { from }.`,
    { thread },
  )
}

/** Of one that is the latest the thread's row would say more, had it come along. */
function finished<State>(end: End, runId: string, isLatest: boolean): Beginning<State> {
  if (end.status === 'finished') return { began: 'already-finished', end }
  const why = isLatest
    ? `${end.status === 'failed' ? 'has failed' : 'was stopped'} in the thread that this one was copied or imported from`
    : 'was left for another one'
  throw new CheckpointerError(
    'CONFLICT',
    `The run '${runId}' ${why}. Begin a new one, under another runId or none.`,
  )
}

const overtaken = ({ id }: StoredRun, last: CheckpointInfo): CheckpointerError =>
  new CheckpointerError(
    'CONFLICT',
    `Others have saved to the thread since the run '${id}' was at checkpoint ${last.seq}, where it has steps in its journal. Begin anew with { from }, from there or from the head.`,
    { thread: last.thread, namespace: last.namespace, seq: last.seq },
  )
