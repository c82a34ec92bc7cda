import { CheckpointerError } from '../../../errors.ts'
import { pauses, timeToPut } from '../../../state/slices/pause.ts'
import { bytesOf, type Batch, type Key } from '../../../storage/storage.ts'
import type { CheckpointRow } from '../../rows/checkpoint-row.ts'
import { fitsCommit, LOST_RACE, tryCommit } from '../../store/commit.ts'
import { renewFamily } from '../../store/family.ts'
import { dropRows, joinBatches } from './drop-rows.ts'
import { freeRows } from './free-rows.ts'
import { dropLeases, wiped } from './leases.ts'
import type { Removing } from './removing.ts'
import { sweep } from './sweep.ts'
import { threadChecks, viewing, type Viewing } from './viewing.ts'

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
export async function commitRemoval(removing: Removing): Promise<Done | typeof LOST_RACE> {
  const { store, family, rows, outcome } = removing
  const { remaining, unshown } = outcome
  if (outcome.wipes) return wipe(removing)
  const views = await viewing(removing)
  const pause = pauses()
  const { batch, rewritten } = await dropRows(store, family.partition, rows, remaining, unshown)
  const puts = batch.puts ?? []
  await pause(timeToPut(puts.reduce((sum, put) => sum + bytesOf(put), 0)))
  const whole = joinBatches(views(unshown, rewritten), batch, familyRow(removing, outcome.later))
  if (!fitsCommit(store, whole)) return hideFirst(removing, views, [])
  const written = puts.filter(({ table }) => table === 'checkpoints')
  try {
    const version = await tryCommit(store, family.partition, whole)
    return version === LOST_RACE ? LOST_RACE : { version, rewritten: written.map(({ key }) => key) }
  } catch (error) {
    if (!CheckpointerError.is(error, 'QUOTA') || written.length === 0) throw error
    const free = await freeRows(rows, remaining, unshown)
    if (free.length === 0) throw error
    return hideFirst(removing, views, free)
  }
}

/** Nobody is left: the whole partition goes. */
async function wipe({ store, family, plan, outcome }: Removing): Promise<Done | typeof LOST_RACE> {
  const version = await tryCommit(store, family.partition, {
    ...(plan.ends === 'threads' ? dropLeases(store, plan) : {}),
    checks: [...threadChecks(plan), renewFamily(family.partition, family).check],
    deleteRanges: wiped(),
    puts: outcome.told,
  })
  return version === LOST_RACE ? LOST_RACE : { version }
}

/** The threads stop showing what they lose, and of its rows these go; the others follow in further commits. */
async function hideFirst(
  removing: Removing,
  views: Viewing,
  free: readonly CheckpointRow[],
): Promise<Done | typeof LOST_RACE> {
  const { store, family, rows, outcome } = removing
  const { partition } = family
  const { batch } = await dropRows(store, partition, rows, outcome.remaining, free)
  const hiding = joinBatches(views(free), batch, familyRow(removing, outcome.lanes))
  const version = await tryCommit(store, partition, hiding)
  if (version === LOST_RACE) return LOST_RACE
  // The removal itself is done. What is left takes room, and goes with the next one at the latest.
  await sweep(store, partition).catch((cause: unknown) => {
    store.warn(
      new CheckpointerError('FAILED', 'Removed rows still take room; a later removal frees it.', { cause }),
    )
  })
  return { version }
}

function familyRow({ family }: Removing, toSweep: readonly string[]): Batch {
  const { check, put } = renewFamily(family.partition, family, toSweep)
  return { checks: [check], puts: [put] }
}
