import { CheckpointerError } from '../../errors.ts'
import { pauses } from '../../state/slices/pause.ts'
import { birthKey, threadKey } from '../../storage/keys.ts'
import type { Batch, Key, Row } from '../../storage/storage.ts'
import { readFamily, renewFamily, type Family } from '../store/family.ts'
import type { Place, RemovedReply } from '../host.ts'
import { firstPart } from './chains.ts'
import { dropRows, dropWrites, joinBatches } from './drop-rows.ts'
import { LaneRows } from './lane-rows.ts'
import { leaveRows, takeRows } from './rows-read.ts'
import { rowName } from '../frames/frames.ts'
import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import { shows } from '../rows/lanes.ts'
import { threadPut, withWrites, type ThreadFacts } from '../rows/thread-row.ts'
import { fitsCommit, LOST_RACE, tryCommit, untilCommitted } from '../store/commit.ts'
import { checkThread, type Store } from '../store/store.ts'
import { dropLeases, wiped } from './leases.ts'
import { lanesOf, lossOf, viewsAfter, withHeads, withRoots, type Loss } from './losses.ts'

export interface RemovalPlan {
  readonly losses: readonly Loss[]
  /** The rows of these threads go as well, */
  readonly deleteThreads?: boolean
  /** and these rows of threads, which cannot be read. */
  readonly damaged?: readonly Row[]
  readonly dryRun?: boolean
}

/**
 * Takes checkpoints from threads. In one commit: the threads stop showing them; rows that nobody shows any more
 * are deleted; deltas that stood on a deleted row are rebased. Where one commit cannot hold all that, the
 * threads stop showing them first, and the rows follow in further commits, each of them whole.
 */
export async function remove(
  store: Store,
  partition: string,
  choose: (family: Family, rows: LaneRows) => Promise<RemovalPlan>,
  { most = Number.POSITIVE_INFINITY, beside }: Pace = {},
): Promise<RemovedReply> {
  const attempt = async (): Promise<RemovedReply | typeof LOST_RACE> => {
    const family = await readFamily(store, partition)
    const rows = await takeRows(store, partition, family)
    const pause = pauses()
    const chosen = await choose(family, rows)
    await pause()
    const wanted = sum(chosen.losses, ({ seqs }) => seqs.size)
    const parts = wanted > most && !chosen.dryRun ? firstPart(chosen.losses, most) : chosen.losses
    const plan = { ...chosen, losses: withRoots(family, parts) }
    const lost = plan.losses.flatMap(({ thread, seqs }) =>
      [...seqs].map((seq) => ({ namespace: thread.facts.namespace, seq })),
    )
    const left = wanted - (chosen.dryRun ? 0 : lost.length)
    const kept = sum(plan.losses, ({ shown, seqs }) => shown.length - seqs.size)
    if (lost.length === 0 && !plan.deleteThreads) return { removed: [], bytes: 0, kept, left }
    await pause()
    const after = viewsAfter(family, plan.losses, () => true)
    const others = family.threads.filter((thread) => !lossOf(plan.losses, thread))
    const remaining = [...others.map((thread) => thread.facts), ...(plan.deleteThreads ? [] : after)]
    const lanes = lanesToSweep(plan.losses, family.sweep)
    const unknown = family.damaged.filter((row) => !plan.damaged?.includes(row))
    const wipes = remaining.length === 0 && unknown.length === 0
    // While a thread cannot be read, what it shows is not known: then nothing is deleted, only hidden.
    const all = unknown.length > 0 || (wipes && !plan.dryRun) ? [] : await rows.ofAll(lanes)
    await pause()
    const unshown = all.filter((row) => !isShown(remaining, row))
    await pause()
    const bytes = sum(unshown, (row) => row.facts.frame.size + row.row.head.length)
    if (plan.dryRun) {
      if (wanted > most) leaveRows(store, partition, family, rows)
      return { removed: lost, bytes, kept, left }
    }

    const result = await unlessChanged(store, family, () =>
      commitRemoval(store, family, rows, plan, {
        after,
        remaining,
        unshown,
        lanes,
        wipes,
        later: unknown.length > 0 ? lanes : [],
      }),
    )
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
  // Those who save to the place are asked to wait only when they were first before.
  return untilCommitted((tried) => (beside && tried > 0 ? store.inTurn(beside, attempt) : attempt()))
}

/** How a removal goes about it. */
export interface Pace {
  /** Take about so many rows and say how many are left, in place of all of them at once. */
  readonly most?: number
  /** Not in this place's turn, as callers' removals are, but beside its saves. */
  readonly beside?: Place
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

/** A removal that passes between our reads looks like damage; then the family's row is another one. */
async function unlessChanged<T>(
  store: Store,
  family: Family,
  work: () => Promise<T>,
): Promise<T | typeof LOST_RACE> {
  try {
    return await work()
  } catch (error) {
    if (!CheckpointerError.is(error, 'CORRUPT')) throw error
    if ((await readFamily(store, family.partition)).version === family.version) throw error
    return LOST_RACE
  }
}

interface Done {
  /** The one that the family's row now has. */
  readonly version: string
  /** Rows of checkpoints that were written anew; absent where rows went in further commits. */
  readonly rewritten?: readonly Key[]
}

/** What a removal comes to. */
interface Outcome {
  /** The threads that lose something, as they will be. */
  readonly after: readonly ThreadFacts[]
  /** All threads of the family that will be left. */
  readonly remaining: readonly ThreadFacts[]
  /** Rows that nobody will show. */
  readonly unshown: readonly CheckpointRow[]
  /** Where these stand, */
  readonly lanes: readonly string[]
  /** and where there may be more, which cannot be told yet. */
  readonly later: readonly string[]
  /** Nobody is left: the whole partition goes. */
  readonly wipes: boolean
}

async function commitRemoval(
  store: Store,
  family: Family,
  rowsOfLanes: LaneRows,
  plan: RemovalPlan,
  { after, remaining, unshown, lanes, wipes, later }: Outcome,
): Promise<Done | typeof LOST_RACE> {
  const { partition } = family
  const damaged = plan.damaged ?? []
  const checks = [
    ...plan.losses.map(({ thread }) => checkThread(thread)),
    ...damaged.map(({ key, version }) => ({ table: 'threads', key, version }) as const),
  ]
  const leases = plan.deleteThreads ? dropLeases(store, plan) : {}
  if (wipes) {
    const renewed = renewFamily(partition, family)
    const version = await tryCommit(store, partition, {
      ...leases,
      checks: [...checks, renewed.check],
      deleteRanges: wiped(),
    })
    return version === LOST_RACE ? LOST_RACE : { version }
  }
  const dropping = await Promise.all(plan.losses.map((loss) => dropWrites(store, partition, loss)))
  const writes = joinBatches(...dropping)
  const views = (facts: readonly ThreadFacts[]): Batch => ({
    checks,
    deletes: [
      ...(leases.deletes ?? []),
      ...damaged.map(({ key }) => ({ table: 'threads', key }) as const),
      ...(plan.deleteThreads ? plan.losses : []).map(({ thread: { facts } }) => {
        return { table: 'threads', key: threadKey(facts.thread, facts.namespace) } as const
      }),
      ...(plan.deleteThreads ? lanesOf(family, plan.losses, damaged) : []).map((lane) => {
        return { table: 'meta', key: birthKey(lane) } as const
      }),
    ],
    puts: plan.deleteThreads
      ? []
      : facts.map((each, i) => threadPut(partition, withWrites(each, -(dropping[i]?.deletes?.length ?? 0)))),
  })
  const dropped = new Set(unshown.map((row) => rowName(row.lane, row.seq)))
  const trimmed = viewsAfter(family, plan.losses, (lane, seq) => !dropped.has(rowName(lane, seq)))
  const pause = pauses()
  const { batch: rows, rewritten } = await dropRows(store, partition, rowsOfLanes, remaining, unshown)
  await pause()
  const renewed = renewFamily(partition, family, later)
  const whole = joinBatches(views(withHeads(trimmed, rewritten)), writes, rows, {
    checks: [renewed.check],
    puts: [renewed.put],
  })
  if (fitsCommit(store, whole)) {
    const version = await tryCommit(store, partition, whole)
    if (version === LOST_RACE) return LOST_RACE
    const written = (rows.puts ?? []).filter(({ table }) => table === 'checkpoints')
    return { version, rewritten: written.map(({ key }) => key) }
  }

  const hidden = renewFamily(partition, family, lanes)
  const first = await tryCommit(
    store,
    partition,
    joinBatches(views(after), writes, { checks: [hidden.check], puts: [hidden.put] }),
  )
  // The removal itself is done. What is left takes room, and goes with the next one at the latest.
  if (first !== LOST_RACE)
    await sweep(store, partition).catch((cause: unknown) => {
      store.warn(
        new CheckpointerError('FAILED', 'Removed rows still take room; a later removal frees it.', { cause }),
      )
    })
  return first === LOST_RACE ? LOST_RACE : { version: first }
}

/** Deletes, a commit at a time, what a large removal has left behind. */
export async function sweep(store: Store, partition: string): Promise<void> {
  for (let most = 256; ;) {
    const family = await readFamily(store, partition)
    // A damaged thread may show any of these: they wait until it is mended or deleted.
    if (family.sweep.length === 0 || family.damaged.length > 0) return
    const remaining = family.threads.map((thread) => thread.facts)
    const lanes = new LaneRows(store, partition)
    const unshown = (await lanes.ofAll(family.sweep)).filter((row) => !isShown(remaining, row))
    // The newest first: what stands on them then moves down once a commit, and to a keyframe only in the end.
    const some = unshown.slice(-most)
    const renewed = renewFamily(partition, family, some.length === unshown.length ? [] : family.sweep)
    const rows = await unlessChanged(store, family, () => dropRows(store, partition, lanes, remaining, some))
    if (rows === LOST_RACE) continue
    const batch = joinBatches(rows.batch, { checks: [renewed.check], puts: [renewed.put] })
    if (fitsCommit(store, batch) || most === 1) await tryCommit(store, partition, batch)
    else most = Math.max(1, Math.floor(most / 2))
  }
}

/** The lanes in which something may now stand that nobody shows. */
function lanesToSweep(losses: readonly Loss[], left: readonly string[]): string[] {
  return [
    ...new Set([
      ...left,
      ...losses.flatMap(({ thread }) => thread.facts.segments.map((segment) => segment.lane)),
    ]),
  ]
}

const isShown = (threads: readonly ThreadFacts[], { lane, seq }: CheckpointRow): boolean =>
  threads.some(({ segments }) => shows(segments, lane, seq))
