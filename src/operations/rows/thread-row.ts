import { CheckpointerError } from '../../errors.ts'
import { threadKey } from '../../storage/keys.ts'
import { compareKeys, type Put, type Row } from '../../storage/storage.ts'
import type { Place, RetentionRules, StoredRun, StoredSummary } from '../host.ts'
import { isForkPoint, isRunInRow } from '../shapes/checkpoints.ts'
import {
  either,
  holds,
  is,
  isCount,
  isFlag,
  isId,
  isList,
  isName,
  isNamespace,
  isNumber,
  isSeq,
  isShort,
  isTime,
} from '../shapes/shape.ts'
import { isCheckpointFacts, type CheckpointFacts } from './checkpoint-row.ts'
import { countable } from './countable.ts'
import { leadTo, type Segment } from './lanes.ts'
import type { MadeWrite } from './write-row.ts'
import { seal, unsealAs } from './seal.ts'

/** The facts in the head of a row of `threads`: one for each namespace of a thread. */
export interface ThreadFacts extends Place {
  readonly createdAt: number
  readonly updatedAt: number
  /** The thread's own lane, the last of its segments: where it writes. */
  readonly lane: string
  readonly segments: readonly Segment[]
  /** The seq that the next checkpoint gets. Never goes back, so that none is used twice. */
  readonly next: number
  /** What saves go on from: what was saved last, unless there are `tips`. */
  readonly head?: CheckpointFacts
  /**
   * Heads of other stores, brought here, that the head does not follow, nor they it. There, if only empty, while the head
   * may be another checkpoint than the last.
   */
  readonly tips?: readonly Tip[]
  readonly label?: string
  readonly forkOf?: StoredSummary['forkOf']
  /** What recognises a retry of the fork or the copy that made this thread. */
  readonly key?: string
  /** What its latest save has asked for in place of the store's own. */
  readonly retention?: RetentionRules | false
  /** How many pending writes stand in its lane; absent when there is none. */
  readonly writes?: number
  /** No pending write in its lane is filed under a later time; absent where that is not known. */
  readonly wrote?: number
  /** Its latest run, as long as one of its checkpoints is there. */
  readonly run?: StoredRun
  /** In the row of namespace '': other namespaces have checkpoints. */
  readonly others?: boolean
}

export interface Tip {
  readonly seq: number
  readonly id: string
  /** How the run stood that it belongs to. */
  readonly run?: StoredRun
}

/** A row of `threads` as it was read. */
export interface ThreadRow {
  readonly partition: string
  readonly version: string
  readonly facts: ThreadFacts
}

const areFacts = holds<ThreadFacts>(
  {
    thread: isId,
    namespace: isNamespace,
    createdAt: isTime,
    updatedAt: isTime,
    lane: isName,
    // Looked at as a whole.
    segments: Array.isArray,
    next: isSeq,
    head: isCheckpointFacts,
    tips: isList(holds<Tip>({ seq: isSeq, id: isId, run: isRunInRow }, ['run'])),
    label: isShort,
    forkOf: isForkPoint,
    key: isId,
    retention: either(
      is(false),
      holds<RetentionRules>(
        { keepLast: isCount, olderThan: isNumber, keepEvery: isCount, keepLabelled: isFlag },
        ['keepLast', 'olderThan', 'keepEvery'],
      ),
    ),
    writes: isCount,
    wrote: isTime,
    run: isRunInRow,
    others: isFlag,
  },
  ['head', 'tips', 'label', 'forkOf', 'key', 'retention', 'writes', 'wrote', 'run', 'others'],
)

export const isThreadFacts = (facts: unknown): facts is ThreadFacts =>
  areFacts(facts) && leadTo(facts.segments, facts.lane)

export function openThread(partition: string, row: Row): ThreadRow {
  const isOfThis = (facts: unknown): facts is ThreadFacts =>
    isThreadFacts(facts) && compareKeys(threadKey(facts.thread, facts.namespace), row.key) === 0
  return { partition, version: row.version, facts: unsealAs(partition, 'threads', row, isOfThis) }
}

export function threadPut(partition: string, facts: ThreadFacts): Put {
  const { createdAt, updatedAt, run } = facts
  // A row with a time that is no date could not be read again.
  if (![createdAt, updatedAt, run?.began ?? 0, run?.at ?? 0].every(isTime))
    throw new CheckpointerError('INVALID', 'The clock is beyond all dates: nothing can be dated by it.')
  const key = threadKey(facts.thread, facts.namespace)
  const listed = facts.namespace === '' ? { rank: facts.updatedAt } : {}
  return { table: 'threads', key, head: seal(partition, 'threads', key, facts), ...listed }
}

/** The facts of a thread that has no checkpoint yet. */
export function emptyThread(place: Place, lane: string, at: number): ThreadFacts {
  return { ...place, createdAt: at, updatedAt: at, lane, segments: [{ lane }], next: 1 }
}

/** The head, as the tips beside it are, and these. */
export const headsOf = ({ head, tips = [], run }: ThreadFacts): Tip[] => [
  ...(head ? [{ seq: head.seq, id: head.id, ...(run ? { run } : {}) }] : []),
  ...tips,
]

/** Whether the list of threads shows it: a thread whose checkpoints are all gone is remembered, but not shown. */
export const isListed = ({ namespace, head, others }: ThreadFacts): boolean =>
  namespace === '' && (head !== undefined || others === true)

/** The same, with more pending writes, the latest of that time, or fewer. */
export function withWrites(
  { writes = 0, ...facts }: ThreadFacts,
  more: number,
  wrote = facts.wrote,
): ThreadFacts {
  const now = Math.max(0, writes + more)
  return { ...facts, ...(now > 0 ? { writes: now } : {}), ...(wrote === undefined ? {} : { wrote }) }
}

/**
 * A time after that of every pending write so far, also within a millisecond or after the clock was set back; and not
 * before that at which one of these was made elsewhere, so that what will overwrite them is later.
 */
export const timeOfWrites = ({ wrote = 0 }: ThreadFacts, writes: readonly MadeWrite[] = []): number =>
  writes.reduce((time, { made = 0 }) => Math.max(time, made), Math.max(countable(Date.now()), wrote + 0.001))
