import { CheckpointerError } from '../errors.ts'
import { allRows, checkpointKey, seqRange, threadKey } from '../storage/keys.ts'
import { TABLES, type Batch } from '../storage/storage.ts'
import { readFamily, renewFamily, type Family } from './family.ts'
import { oldestFirst } from './find.ts'
import type { RemovedReply } from './host.ts'
import { rebase } from './rebase.ts'
import { rowName } from './frames.ts'
import { dropParts, openCheckpoint, type CheckpointRow } from './rows/checkpoint-row.ts'
import { shows } from './rows/lanes.ts'
import { threadPut, type ThreadFacts, type ThreadRow } from './rows/thread-row.ts'
import { fitsCommit, LOST_RACE, tryCommit, untilCommitted } from './commit.ts'
import { checkThread, type Store } from './store.ts'
import { lossOf, viewsAfter, withRoots, type Loss } from './views.ts'

export interface RemovalPlan {
  readonly losses: readonly Loss[]
  /** The rows of these threads go as well. */
  readonly deleteThreads?: boolean
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
  choose: (family: Family) => Promise<RemovalPlan>,
): Promise<RemovedReply> {
  return untilCommitted(async () => {
    const family = await readFamily(store, partition)
    const chosen = await choose(family)
    const plan = { ...chosen, losses: withRoots(family, chosen.losses) }
    const lost = plan.losses.flatMap(({ thread, seqs }) =>
      [...seqs].map((seq) => ({ namespace: thread.facts.namespace, seq })),
    )
    const kept = plan.losses.reduce((sum, { shown, seqs }) => sum + shown.length - seqs.size, 0)
    if (lost.length === 0 && !plan.deleteThreads) return { removed: [], bytes: 0, kept }
    const after = viewsAfter(family, plan.losses, () => true)
    const others = family.threads.filter((thread) => !lossOf(plan.losses, thread))
    const remaining = [...others.map((thread) => thread.facts), ...(plan.deleteThreads ? [] : after)]
    const lanes = lanesToSweep(plan.losses, family.sweep)
    const unshown = await findUnshown(store, partition, lanes, remaining)
    const bytes = unshown.reduce((sum, row) => sum + row.facts.frame.size + row.row.head.length, 0)
    if (plan.dryRun) return { removed: lost, bytes, kept }

    const result = await unlessChanged(store, family, () =>
      commitRemoval(store, family, plan, after, remaining, unshown, lanes),
    )
    for (const { thread } of plan.losses) store.threads.forget(thread.facts.thread)
    return result === LOST_RACE ? LOST_RACE : { removed: lost, bytes, kept }
  })
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

async function commitRemoval(
  store: Store,
  family: Family,
  plan: RemovalPlan,
  after: readonly ThreadFacts[],
  remaining: readonly ThreadFacts[],
  unshown: readonly CheckpointRow[],
  lanes: readonly string[],
): Promise<string | typeof LOST_RACE> {
  const { partition } = family
  const checks = plan.losses.map(({ thread }) => checkThread(thread))
  if (remaining.length === 0) {
    const renewed = renewFamily(partition, family)
    return tryCommit(store, partition, {
      checks: [...checks, renewed.check],
      deleteRanges: TABLES.map((table) => ({ table, ...allRows() })),
    })
  }
  const views = (facts: readonly ThreadFacts[]): Batch => ({
    checks,
    deletes: plan.deleteThreads
      ? plan.losses.map(({ thread: { facts } }) => ({
          table: 'threads',
          key: threadKey(facts.thread, facts.namespace),
        }))
      : [],
    puts: plan.deleteThreads ? [] : facts.map((each) => threadPut(partition, each)),
    deleteRanges: plan.losses.flatMap(writesOf),
  })
  const dropped = new Set(unshown.map((row) => rowName(row.lane, row.seq)))
  const trimmed = viewsAfter(family, plan.losses, (lane, seq) => !dropped.has(rowName(lane, seq)))
  const rows = await dropRows(store, partition, remaining, unshown)
  const renewed = renewFamily(partition, family, [])
  const whole = joinBatches(views(trimmed), rows, { checks: [renewed.check], puts: [renewed.put] })
  if (fitsCommit(store, whole)) return tryCommit(store, partition, whole)

  const hidden = renewFamily(partition, family, lanes)
  const first = await tryCommit(
    store,
    partition,
    joinBatches(views(after), { checks: [hidden.check], puts: [hidden.put] }),
  )
  if (first !== LOST_RACE) await sweep(store, partition)
  return first
}

/** Deletes, a commit at a time, what a large removal has left behind. */
async function sweep(store: Store, partition: string): Promise<void> {
  for (let most = 256; ;) {
    const family = await readFamily(store, partition)
    if (family.sweep.length === 0) return
    const remaining = family.threads.map((thread) => thread.facts)
    const unshown = await findUnshown(store, partition, family.sweep, remaining)
    // The newest first: what stands on them then moves down once a commit, and to a keyframe only in the end.
    const some = unshown.slice(-most)
    const renewed = renewFamily(partition, family, some.length === unshown.length ? [] : family.sweep)
    const rows = await unlessChanged(store, family, () => dropRows(store, partition, remaining, some))
    if (rows === LOST_RACE) continue
    const batch = joinBatches(rows, { checks: [renewed.check], puts: [renewed.put] })
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

async function findUnshown(
  store: Store,
  partition: string,
  lanes: readonly string[],
  remaining: readonly ThreadFacts[],
): Promise<CheckpointRow[]> {
  const found = await store.storage.read(
    partition,
    lanes.map((lane) => ({ table: 'checkpoints', ...seqRange(lane, 0, Number.MAX_SAFE_INTEGER - 1) })),
  )
  return found
    .flat()
    .filter(
      (row) => !remaining.some(({ segments }) => shows(segments, row.key[0] as string, row.key[1] as number)),
    )
    .map((row) => openCheckpoint(partition, row))
}

/** The batch that deletes rows, and rebases what stands on them. */
async function dropRows(
  store: Store,
  partition: string,
  remaining: readonly ThreadFacts[],
  dropped: readonly CheckpointRow[],
): Promise<Batch> {
  if (dropped.length === 0) return {}
  const rebased = await rebase(store, partition, remaining, dropped)
  return joinBatches(rebased, {
    deleteRanges: dropped.flatMap(dropParts),
    deletes: dropped.map((row) => ({ table: 'checkpoints', key: checkpointKey(row.lane, row.seq) })),
  })
}

/** A thread's own pending writes of what it loses, in as few ranges as there are runs. */
function writesOf({ thread: { facts }, shown, seqs }: Loss): NonNullable<Batch['deleteRanges']> {
  const runs: [number, number][] = []
  let open = false
  for (const { seq } of shown) {
    if (!seqs.has(seq)) open = false
    else if (open) (runs.at(-1) as [number, number])[1] = seq
    else open = runs.push([seq, seq]) > 0
  }
  return runs.flatMap(([from, to]) => {
    const range = seqRange(facts.lane, from, to)
    return [{ table: 'writes', ...range } as const]
  })
}

function joinBatches(...batches: readonly Batch[]): Batch {
  return {
    checks: batches.flatMap((batch) => batch.checks ?? []),
    puts: batches.flatMap((batch) => batch.puts ?? []),
    deletes: batches.flatMap((batch) => batch.deletes ?? []),
    deleteRanges: batches.flatMap((batch) => batch.deleteRanges ?? []),
  }
}

/** All that a thread's namespace shows, oldest first. */
export async function shownBy(store: Store, thread: ThreadRow): Promise<CheckpointRow[]> {
  const rows: CheckpointRow[] = []
  for await (const row of oldestFirst(store, thread, { page: 512 })) rows.push(row)
  return rows
}
