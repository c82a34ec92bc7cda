import { seqOf } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import { infoOf, openCheckpoint } from '../rows/checkpoint-row.ts'
import { laneOf, shows } from '../rows/lanes.ts'
import type { ThreadFacts, ThreadRow } from '../rows/thread-row.ts'
import { describe } from '../store/threads.ts'
import { unlessDamaged } from '../store/unread.ts'
import { expectedIn } from './expected.ts'
import type { Finding } from './finding.ts'
import { readingOf, type Look } from './look.ts'

export type Wrong = Pick<Finding, 'kind' | 'problem'> & Partial<Finding>

/** From the first seq to the last that must stand in each lane of a thread. */
export function stretchesOf(thread: ThreadRow): (readonly [lane: string, from: number, to: number])[] {
  return thread.facts.segments.flatMap(({ lane }) => {
    const wanted = expectedIn([thread], lane, 0)
    const [first, last] = [wanted[0], wanted.at(-1)]
    return first && last ? [[lane, first.from, last.to] as const] : []
  })
}

/** What a thread's row says, beside what stands there. */
export function checkClaims({ family }: Look, thread: ThreadRow, beside: readonly Row[][]): Wrong[] {
  const { facts } = thread
  const [ends = [], newer = [], ...stretches] = beside
  const wrong: Wrong[] = checkHead(thread, ends, [...newer, ...stretches.flat()])
  const highest = Math.max(facts.head?.seq ?? 0, ...newer.map(({ key }) => seqOf(key)))
  if (facts.next <= highest)
    wrong.push({ kind: 'thread', problem: `Its next seq is ${facts.next}, but there is ${highest}.` })
  stretchesOf(thread).forEach(([lane, from, to], i) => {
    // Where a lane has no row at all, no walk over the rows comes by.
    if (stretches[i]?.length !== 0) return
    const problem = `None of the checkpoints ${from} to ${to} that it shows in the lane ${lane} is there.`
    wrong.push({ kind: 'missing', table: 'checkpoints', seq: from, gap: { lane, from, to }, problem })
  })
  const twin = family.threads.find((other) => other.facts.lane === facts.lane && !isSamePlace(other, thread))
  if (twin)
    wrong.push({ kind: 'thread', problem: `It writes into the lane of ${describe(twin.facts)} as well.` })
  if (facts.namespace !== '') wrong.push(...checkRoot(family.threads, facts))
  return wrong
}

function checkHead({ partition, facts }: ThreadRow, ends: readonly Row[], others: readonly Row[]): Wrong[] {
  const { head, tips, segments } = facts
  // Without a head it shows nothing, neither of its own nor of what it has borrowed.
  const behind = others.find(
    ({ key: [lane, seq] }) =>
      !tips && (seq as number) > (head?.seq ?? 0) && shows(segments, lane as string, seq as number),
  )
  if (behind) {
    const told = head ? `checkpoint ${head.seq}` : 'none'
    return [{ kind: 'head', problem: `Its head is ${told}, but there is checkpoint ${seqOf(behind.key)}.` }]
  }
  if (!head) return []
  const at = { kind: 'head', seq: head.seq } as const
  const row = ends.find(({ key }) => seqOf(key) === head.seq)
  if (!row) return [{ ...at, problem: `Its head is checkpoint ${head.seq}, which is not there.` }]
  if (!shows(segments, laneOf(segments, head.seq).lane, head.seq))
    return [{ ...at, problem: `Its head is checkpoint ${head.seq}, which it does not show.` }]
  // A head that cannot be read is told with its row.
  if (readingOf(partition, 'checkpoints', row, () => openCheckpoint(partition, row))) return []
  const its = openCheckpoint(partition, row).facts
  const isCopy = JSON.stringify(infoOf(its)) === JSON.stringify(infoOf(head))
  // A copy may be from before a new keyframe, and reads from further back; or know of one that the row does not.
  const root = ends.find(({ key }) => seqOf(key) === head.frame.root)
  if (isCopy && (head.frame.root <= its.frame.root || (root && isKeyframe(partition, root)))) return []
  return [{ ...at, problem: `What it says of its head, checkpoint ${head.seq}, is not what stands there.` }]
}

const isKeyframe = (partition: string, row: Row): boolean =>
  unlessDamaged(() => openCheckpoint(partition, row).facts.frame.base === undefined) ?? false

function checkRoot(threads: readonly ThreadRow[], { thread, head }: ThreadFacts): Wrong[] {
  const root = threads.find(({ facts }) => facts.thread === thread && facts.namespace === '')
  if (!root) return [{ kind: 'orphaned', problem: `Thread '${thread}' has no row for the list.` }]
  if (!head || root.facts.others) return []
  return [{ kind: 'thread', namespace: '', problem: 'It says that no other namespace has checkpoints.' }]
}

const isSamePlace = (a: ThreadRow, b: ThreadRow): boolean =>
  a.facts.thread === b.facts.thread && a.facts.namespace === b.facts.namespace
