import { pauses } from '../../state/slices/pause.ts'
import type { Put } from '../../storage/storage.ts'
import type { RemovedReply } from '../host.ts'
import { LOST_RACE, untilCommitted } from '../store/commit.ts'
import { readFamily, type Family } from '../store/family.ts'
import type { Store } from '../store/store.ts'
import { firstPart } from './chains.ts'
import { commitRemoval } from './write/commit-removal.ts'
import type { LaneRows } from './read/lane-rows.ts'
import { lossOf, viewsAfter, withRoots, type ThreadLoss } from './losses.ts'
import { isEnded, mostNamespaces, type Pace, type RemovalPlan } from './plan.ts'
import { leaveRows, takeRows } from './read/rows-read.ts'
import { telling } from './telling.ts'
import { unlessChanged } from './read/unless-changed.ts'
import { shownBy } from './read/unshown.ts'

/**
 * Takes checkpoints from threads. In one commit: the threads stop showing them; rows that nobody shows any more
 * are deleted; deltas that stood on a deleted row are rebased. Where one commit cannot hold all that, the
 * threads stop showing them first, and the rows follow in further commits, each of them whole.
 */
export async function remove(
  store: Store,
  partition: string,
  choose: (family: Family, rows: LaneRows) => Promise<RemovalPlan>,
  { most = Number.POSITIVE_INFINITY, beside, spread = 'everywhere' }: Pace = {},
): Promise<RemovedReply> {
  const attempt = async (): Promise<RemovedReply | typeof LOST_RACE> => {
    const family = await readFamily(store, partition)
    const rows = await takeRows(store, partition, family)
    const pause = pauses()
    const chosen = await choose(family, rows)
    await pause()
    const wanted = sum(chosen.losses, ({ seqs }) => seqs.size)
    // What loses nothing is not written anew; what it keeps is told all the same.
    const losing = chosen.ends ? chosen.losses : chosen.losses.filter(({ seqs }) => seqs.size > 0)
    const some = chosen.ends || chosen.dryRun ? losing : losing.slice(0, mostNamespaces(store.storage.limits))
    const parts = wanted > most && !chosen.dryRun ? firstPart(some, most) : some
    const plan = { ...chosen, losses: withRoots(family, parts) }
    const lost = plan.losses.flatMap(({ thread, seqs }) =>
      [...seqs].map((seq) => ({ namespace: thread.facts.namespace, seq })),
    )
    const left = wanted - (chosen.dryRun ? 0 : lost.length)
    const kept = sum(chosen.losses, ({ shown }) => shown.length) - lost.length
    if (lost.length === 0 && !plan.ends) return { removed: [], bytes: 0, kept, left }
    await pause()
    const after = viewsAfter(family, plan.losses, () => true)
    const others = family.threads.filter((thread) => !lossOf(plan.losses, thread))
    const remaining = [
      ...others.map((thread) => thread.facts),
      ...after.filter((_, i) => !isEnded(plan, plan.losses[i] as ThreadLoss)),
      ...(family.coming ?? []),
    ]
    const lanes = lanesToSweep(plan.losses, family.sweep)
    const isKnown = family.damaged.every((row) => plan.damaged?.includes(row)) && family.coming !== undefined
    const wipes = remaining.length === 0 && isKnown
    // While a thread cannot be read, what it shows is not known: then nothing is deleted, only hidden.
    const all = !isKnown || (wipes && !plan.dryRun) ? [] : await rows.ofAll(lanes)
    await pause()
    const isShown = shownBy(remaining)
    const unshown = all.filter((row) => !isShown(row))
    await pause()
    const bytes = sum(unshown, (row) => row.facts.frame.size + row.row.head.length)
    if (plan.dryRun) {
      if (wanted > most) leaveRows(store, partition, family, rows)
      return { removed: lost, bytes, kept, left }
    }

    const isTold = family.isSynced && spread !== 'nothing'
    const outcome = { remaining, unshown, lanes, wipes, later: isKnown ? [] : lanes }
    const commit = (told: readonly Put[]) =>
      unlessChanged(store, family, () =>
        commitRemoval({ store, family, rows, plan, outcome: { ...outcome, told } }),
      )
    const result = await (isTold ? telling(store, partition, plan, spread, commit) : commit([]))
    for (const { thread } of plan.losses) store.threads.forget(thread.facts.thread)
    if (result === LOST_RACE) {
      leaveRows(store, partition, family, rows)
      return LOST_RACE
    }
    if (left > 0 && result.rewritten) {
      await rows.changed(unshown, result.rewritten)
      leaveRows(store, partition, { ...family, version: result.version }, rows)
    }
    return { removed: lost, bytes, kept, left }
  }
  const result = beside ? await attempt() : LOST_RACE
  if (result !== LOST_RACE) return result
  const again = () => untilCommitted({ store, partition: () => partition }, attempt)
  // Those who save to the place are asked to wait only when they were first before.
  return beside ? store.inTurn(beside, again) : again()
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

/** The lanes in which something may now stand that nobody shows. */
function lanesToSweep(losses: readonly ThreadLoss[], left: readonly string[]): string[] {
  return [
    ...new Set([
      ...left,
      ...losses.flatMap(({ thread }) => thread.facts.segments.map((segment) => segment.lane)),
    ]),
  ]
}
