import { escapeId } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import type { StoredRun } from '../host.ts'
import { headsAfter } from './heads-after.ts'
import type { Family } from '../store/family.ts'
import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import { laneOf, withGone, withSeqs, type Segment } from '../rows/lanes.ts'
import type { ThreadFacts, ThreadRow } from '../rows/thread-row.ts'
import { rowName } from '../frames/frames.ts'
import type { Rewritten } from './write/rebase.ts'

/** What one namespace of a thread is to lose. */
export interface ThreadLoss {
  readonly thread: ThreadRow
  /** All that it shows, oldest first. */
  readonly shown: readonly CheckpointRow[]
  readonly seqs: ReadonlySet<number>
}

export const lossOf = (losses: readonly ThreadLoss[], { facts }: ThreadRow): ThreadLoss | undefined =>
  losses.find(
    ({ thread }) => thread.facts.thread === facts.thread && thread.facts.namespace === facts.namespace,
  )

/** A thread's row in the list tells whether other namespaces have anything, so it is renewed with them. */
export function withRoots(family: Family, losses: readonly ThreadLoss[]): ThreadLoss[] {
  const named = new Set(losses.map(({ thread }) => thread.facts.thread))
  const roots = family.threads.filter((row) => row.facts.namespace === '' && named.has(row.facts.thread))
  const missing = roots.filter((root) => !lossOf(losses, root))
  return [...losses, ...missing.map((thread) => ({ thread, shown: [], seqs: new Set<number>() }))]
}

/** The threads without what they lose. What stands on in its lane, for others or for now, they have to hide. */
export function viewsAfter(
  family: Family,
  losses: readonly ThreadLoss[],
  stands: (lane: string, seq: number) => boolean,
): ThreadFacts[] {
  return losses.map((loss) => {
    const { facts } = loss.thread
    const { head: _head, others: _others, tips: _tips, run, ...rest } = facts
    const { head, tips } = headsAfter(loss)
    const others = facts.namespace === '' && hasOthers(family, losses, facts.thread)
    return {
      ...rest,
      segments: segmentsAfter(loss, stands),
      ...(head ? { head } : {}),
      ...(tips ? { tips } : {}),
      // Of a run whose checkpoints are gone nothing is left to go on with.
      ...(run && isLeft(run, loss) ? { run } : {}),
      ...(others ? { others } : {}),
    }
  })
}

const isLeft = ({ id }: StoredRun, { shown, seqs }: ThreadLoss): boolean =>
  seqs.size === 0 || shown.some(({ seq, facts }) => facts.runId === id && !seqs.has(seq))

/** The same threads, where their heads were written anew in the same commit. */
export const withHeads = (threads: readonly ThreadFacts[], rewritten: Rewritten): ThreadFacts[] =>
  threads.map((facts) => {
    const { head, segments } = facts
    const now = head && rewritten.get(rowName(laneOf(segments, head.seq).lane, head.seq))
    return now ? { ...facts, head: now } : facts
  })

function hasOthers(family: Family, losses: readonly ThreadLoss[], thread: string): boolean {
  return family.threads.some((row) => {
    if (row.facts.thread !== thread || row.facts.namespace === '') return false
    const loss = lossOf(losses, row)
    return (loss ? headsAfter(loss).head : row.facts.head) !== undefined
  })
}

function segmentsAfter(
  { thread, seqs }: ThreadLoss,
  stands: (lane: string, seq: number) => boolean,
): Segment[] {
  let from = 0
  return thread.facts.segments.map((segment) => {
    const last = segment.to ?? Number.POSITIVE_INFINITY
    const here = [...seqs].filter((seq) => seq >= from && seq <= last)
    from = last + 1
    const hidden = here.filter((seq) => stands(segment.lane, seq))
    const gone = here.filter((seq) => !stands(segment.lane, seq))
    return {
      ...segment,
      ...(hidden.length > 0 ? { hide: withSeqs(segment.hide, hidden) } : {}),
      ...(gone.length > 0 ? { gone: withGone(segment.gone, withSeqs([], gone)) } : {}),
    }
  })
}

/** The lanes that belong to threads which go. Of a row that cannot be read, the births still know. */
export function lanesOf(
  { births }: Family,
  losses: readonly ThreadLoss[],
  damaged: readonly Row[],
): string[] {
  const unread = new Set(damaged.map(({ key }) => key[0]))
  return [
    ...losses.map(({ thread }) => thread.facts.lane),
    ...births.filter(({ facts }) => unread.has(escapeId(facts.thread))).map(({ lane }) => lane),
  ]
}
