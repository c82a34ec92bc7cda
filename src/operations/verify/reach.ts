import { checkpointKey } from '../../storage/keys.ts'
import type { Family } from '../store/family.ts'
import { openCheckpoint, type CheckpointRow } from '../rows/checkpoint-row.ts'
import { borrow, type Segment } from '../rows/lanes.ts'
import type { Store } from '../store/store.ts'
import { unlessUnread } from '../store/unread.ts'

/** The lanes that the rows of a lane may be built on: those of a thread that shows it, or else where its bases lead. */
export async function reachOf(
  store: Store,
  { partition, threads, births }: Family,
  lane: string,
  lowest: CheckpointRow | undefined,
): Promise<readonly Segment[]> {
  const shown = threads.map(({ facts }) => facts.segments).filter((segments) => has(segments, lane))
  const own = shown.find((segments) => segments.at(-1)?.lane === lane)
  const born = births.find((birth) => birth.lane === lane)
  // A borrowed lane ends where the fork begins: what comes after is reached as well here.
  const borrowed = shown[0] && upTo(shown[0], lane)
  return own ?? born?.facts.segments ?? borrowed ?? (await walked(store, partition, lane, lowest))
}

const has = (segments: readonly Segment[], lane: string): boolean =>
  segments.some((segment) => segment.lane === lane)

function upTo(segments: readonly Segment[], lane: string): Segment[] {
  const at = segments.findIndex((segment) => segment.lane === lane)
  return [...segments.slice(0, at), { lane }]
}

async function walked(
  store: Store,
  partition: string,
  lane: string,
  lowest: CheckpointRow | undefined,
): Promise<Segment[]> {
  let segments: Segment[] = []
  for (let row = lowest; row?.facts.frame.base;) {
    const [base, seq]: readonly [string, number] = row.facts.frame.base
    // A row that stands on itself, or above, is told as such elsewhere.
    if (seq >= row.seq) break
    if (base !== row.lane) segments = [{ lane: base, to: seq }, ...segments]
    const query = { table: 'checkpoints', keys: [checkpointKey(base, seq)] } as const
    const [[found] = []] = await store.storage.read(partition, [query])
    row = found && unlessUnread(() => openCheckpoint(partition, found))
  }
  return [...segments, ...borrow([], 0, lane)]
}
