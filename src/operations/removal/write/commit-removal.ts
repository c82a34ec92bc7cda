import { CheckpointerError } from '../../../errors.ts'
import { pauses, timeToPut } from '../../../state/slices/pause.ts'
import { birthKey, threadKey } from '../../../storage/keys.ts'
import { bytesOf, type Batch, type Key } from '../../../storage/storage.ts'
import { rowName } from '../../frames/frames.ts'
import type { CheckpointRow } from '../../rows/checkpoint-row.ts'
import { threadPut, withWrites, type ThreadFacts } from '../../rows/thread-row.ts'
import { fitsCommit, LOST_RACE, tryCommit } from '../../store/commit.ts'
import { renewFamily, type Family } from '../../store/family.ts'
import { checkThread, type Store } from '../../store/store.ts'
import { dropRows, dropWrites, joinBatches } from './drop-rows.ts'
import { freeRows } from './free-rows.ts'
import type { LaneRows } from '../read/lane-rows.ts'
import { dropLeases, wiped } from './leases.ts'
import { lanesOf, viewsAfter, withHeads } from '../losses.ts'
import type { Outcome, RemovalPlan } from '../plan.ts'
import { sweep } from './sweep.ts'

interface Done {
  /** The one that the family's row now has. */
  readonly version: string
  /** Rows of checkpoints that were written anew; absent where rows went in further commits. */
  readonly rewritten?: readonly Key[]
}

/**
 * Carries a removal out: in one commit, or where that cannot hold it, hidden first and swept after. On a full disk what
 * needs nothing written anew goes first, so that there is room for the rest.
 */
export async function commitRemoval(
  store: Store,
  family: Family,
  rowsOfLanes: LaneRows,
  plan: RemovalPlan,
  { remaining, unshown, lanes, wipes, later, told }: Outcome,
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
      puts: told,
    })
    return version === LOST_RACE ? LOST_RACE : { version }
  }
  const dropping = await Promise.all(plan.losses.map((loss) => dropWrites(store, partition, loss)))
  const writes = joinBatches(...dropping.map(({ batch }) => batch))
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
    puts: [
      ...(plan.deleteThreads ? [] : facts).map((each, i) =>
        threadPut(partition, withWrites(each, -(dropping[i]?.count ?? 0))),
      ),
      ...told,
    ],
  })
  const dropped = new Set(unshown.map((row) => rowName(row.lane, row.seq)))
  const trimmed = viewsAfter(family, plan.losses, (lane, seq) => !dropped.has(rowName(lane, seq)))
  const pause = pauses()
  const { batch: rows, rewritten } = await dropRows(store, partition, rowsOfLanes, remaining, unshown)
  await pause(timeToPut((rows.puts ?? []).reduce((sum, put) => sum + bytesOf(put), 0)))
  const renewed = renewFamily(partition, family, later)
  const whole = joinBatches(views(withHeads(trimmed, rewritten)), writes, rows, {
    checks: [renewed.check],
    puts: [renewed.put],
  })
  const hideFirst = async (free: readonly CheckpointRow[]): Promise<Done | typeof LOST_RACE> => {
    const freed = new Set(free.map((row) => rowName(row.lane, row.seq)))
    const hiding = viewsAfter(family, plan.losses, (lane, seq) => !freed.has(rowName(lane, seq)))
    const { batch: gone } = await dropRows(store, partition, rowsOfLanes, remaining, free)
    const hidden = renewFamily(partition, family, lanes)
    const guard: Batch = { checks: [hidden.check], puts: [hidden.put] }
    const first = await tryCommit(store, partition, joinBatches(views(hiding), writes, gone, guard))
    if (first === LOST_RACE) return LOST_RACE
    // The removal itself is done. What is left takes room, and goes with the next one at the latest.
    await sweep(store, partition).catch((cause: unknown) => {
      store.warn(
        new CheckpointerError('FAILED', 'Removed rows still take room; a later removal frees it.', { cause }),
      )
    })
    return { version: first }
  }

  const written = (rows.puts ?? []).filter(({ table }) => table === 'checkpoints')
  if (fitsCommit(store, whole)) {
    try {
      const version = await tryCommit(store, partition, whole)
      return version === LOST_RACE ? LOST_RACE : { version, rewritten: written.map(({ key }) => key) }
    } catch (error) {
      if (!CheckpointerError.is(error, 'QUOTA') || written.length === 0) throw error
      const free = await freeRows(rowsOfLanes, remaining, unshown)
      if (free.length === 0) throw error
      return hideFirst(free)
    }
  }
  return hideFirst([])
}
