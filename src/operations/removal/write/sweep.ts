import { fitsCommit, LOST_RACE, tryCommit } from '../../store/commit.ts'
import { readFamily, renewFamily } from '../../store/family.ts'
import type { Store } from '../../store/store.ts'
import { dropRows, joinBatches } from './drop-rows.ts'
import { LaneRows } from '../read/lane-rows.ts'
import { unlessChanged } from '../read/unless-changed.ts'
import { shownBy } from '../read/unshown.ts'

/** Deletes, a commit at a time, what a large removal has left behind. */
export async function sweep(store: Store, partition: string): Promise<void> {
  for (let most = 256; ;) {
    const family = await readFamily(store, partition)
    // A damaged thread may show any of these: they wait until it is mended or deleted.
    if (family.sweep.length === 0 || family.damaged.length > 0 || !family.coming) return
    const remaining = [...family.threads.map((thread) => thread.facts), ...family.coming]
    const lanes = new LaneRows(store, partition)
    const isShown = shownBy(remaining)
    const unshown = (await lanes.ofAll(family.sweep)).filter((row) => !isShown(row))
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
