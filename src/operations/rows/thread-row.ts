import { threadKey } from '../../storage/keys.ts'
import type { Put, Row } from '../../storage/storage.ts'
import type { Place, RetentionRules, StoredRun, StoredSummary } from '../host.ts'
import type { CheckpointFacts } from './checkpoint-row.ts'
import type { Segment } from './lanes.ts'
import { seal, unseal } from './seal.ts'

/** The facts in the head of a row of `threads`: one for each namespace of a thread. */
export interface ThreadFacts extends Place {
  readonly createdAt: number
  readonly updatedAt: number
  /** The thread's own lane, the last of its segments: where it writes. */
  readonly lane: string
  readonly segments: readonly Segment[]
  /** The seq that the next checkpoint gets. Never goes back, so that none is used twice. */
  readonly next: number
  readonly head?: CheckpointFacts
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
  /** Its latest run, if it is still that of its head. */
  readonly run?: StoredRun
  /** In the row of namespace '': other namespaces have checkpoints. */
  readonly others?: boolean
}

/** A row of `threads` as it was read. */
export interface ThreadRow {
  readonly partition: string
  readonly version: string
  readonly facts: ThreadFacts
}

export function openThread(partition: string, row: Row): ThreadRow {
  return { partition, version: row.version, facts: unseal(partition, 'threads', row) as ThreadFacts }
}

export function threadPut(partition: string, facts: ThreadFacts): Put {
  const key = threadKey(facts.thread, facts.namespace)
  const listed = facts.namespace === '' ? { rank: facts.updatedAt } : {}
  return { table: 'threads', key, head: seal(partition, 'threads', key, facts), ...listed }
}

/** The facts of a thread that has no checkpoint yet. */
export function emptyThread(place: Place, lane: string, at: number): ThreadFacts {
  return { ...place, createdAt: at, updatedAt: at, lane, segments: [{ lane }], next: 1 }
}

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

/** A time after that of every pending write so far, also within a millisecond or after the clock was set back. */
export const timeOfWrites = ({ wrote = 0 }: ThreadFacts): number => Math.max(Date.now(), wrote + 0.001)
