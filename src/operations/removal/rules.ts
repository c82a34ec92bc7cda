import { isForkLabel } from '../../ids.ts'
import type { PruneRequest } from '../host.ts'
import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import { headsOf, type ThreadFacts } from '../rows/thread-row.ts'

/** What is asked for, wherever. */
export type Rules = Omit<PruneRequest, 'thread' | 'namespace' | 'dryRun' | 'most'>

/** Which of these, oldest first, the rules let go of in this thread, which shows them. */
export function toRemove(shown: readonly CheckpointRow[], rules: Rules, thread: ThreadFacts): Set<number> {
  const heads = headsAmong(shown, thread)
  const always = alwaysKept(shown, thread)
  const onTheWay = ancestorsOf(shown, heads, true)
  const parents = new Set(shown.map((row) => row.facts.parent?.seq))
  const kept = new Set(
    shown
      .filter((row, i) => {
        if (always.has(row.seq)) return true
        if (rules.branches === 'drop' && !onTheWay.has(row.seq)) return false
        const mayGo = goes(row, shown.length - i, rules)
        return !mayGo || (rules.branches === 'keep' && !parents.has(row.seq))
      })
      .map((row) => row.seq),
  )
  if (rules.maxBytes !== undefined) shrink(shown, kept, rules, always)
  if (rules.ancestors === 'keep') for (const seq of ancestorsOf(shown, kept, false)) kept.add(seq)
  return new Set(shown.map((row) => row.seq).filter((seq) => !kept.has(seq)))
}

/** Where nothing else is written down the head is the last one, also after damage. */
const headsAmong = (shown: readonly CheckpointRow[], thread: ThreadFacts): readonly number[] =>
  thread.tips ? headsOf(thread).map(({ seq }) => seq) : shown.slice(-1).map(({ seq }) => seq)

/**
 * The heads, and the last checkpoint of the latest run: there stands what the run has done and how it has ended, and
 * without it an external step would be done again under the same id.
 */
export function alwaysKept(shown: readonly CheckpointRow[], thread: ThreadFacts): Set<number> {
  const runs = headsOf(thread).map(({ run }) => shown.findLast(({ facts }) => run && facts.runId === run.id))
  return new Set([...headsAmong(shown, thread), ...runs.flatMap((row) => row?.seq ?? [])])
}

/** Whether any rule lets it go, and none holds it. `place` counts from the newest, which is 1. */
function goes(row: CheckpointRow, place: number, rules: Rules): boolean {
  const { facts } = row
  if (isHeld(row, rules)) return false
  if (rules.keepLast !== undefined && place <= rules.keepLast) return false
  if (rules.olderThan !== undefined) return facts.createdAt < rules.olderThan
  return rules.keepLast !== undefined || rules.keepEvery !== undefined
}

export const isHeld = (row: CheckpointRow, rules: Pick<Rules, 'keepLabelled' | 'keepEvery'>): boolean =>
  (rules.keepLabelled === true && isLabelled(row)) ||
  (rules.keepEvery !== undefined && row.seq % rules.keepEvery === 0)

/** By somebody: the label that a fork gets by itself says where it comes from, not that it is to stay. */
export const isLabelled = ({ facts: { label, source } }: CheckpointRow): boolean =>
  label !== undefined && !(source === 'fork' && isForkLabel(label))

/** The oldest go first until the rest weighs no more than `maxBytes`; what is held stays. */
function shrink(
  shown: readonly CheckpointRow[],
  kept: Set<number>,
  rules: Rules,
  always: ReadonlySet<number>,
): void {
  const weight = ({ facts, row }: CheckpointRow): number => facts.frame.size + row.head.length
  let bytes = shown.filter((row) => kept.has(row.seq)).reduce((sum, row) => sum + weight(row), 0)
  for (const row of shown) {
    if (bytes <= (rules.maxBytes as number)) return
    if (!kept.has(row.seq) || always.has(row.seq) || isHeld(row, rules)) continue
    kept.delete(row.seq)
    bytes -= weight(row)
  }
}

/**
 * The given ones, and all that they continue. Where the way is cut off by damage, what lies below may belong to it,
 * and counts as if it did; with `pastGaps` also where a checkpoint on it was removed.
 */
function ancestorsOf(
  shown: readonly CheckpointRow[],
  seqs: Iterable<number>,
  pastGaps: boolean,
): Set<number> {
  const bySeq = new Map(shown.map((row) => [row.seq, row]))
  const found = new Set<number>()
  let unknownBelow = 0
  for (const start of seqs) {
    for (let row = bySeq.get(start); row && !found.has(row.seq);) {
      found.add(row.seq)
      const parent = row.facts.parent?.seq
      const next = parent === undefined ? undefined : bySeq.get(parent)
      if (row.isDamaged) unknownBelow = Math.max(unknownBelow, row.seq)
      else if (parent !== undefined && !next && pastGaps) unknownBelow = Math.max(unknownBelow, parent)
      row = next
    }
  }
  for (const { seq } of shown) if (seq < unknownBelow) found.add(seq)
  return found
}
