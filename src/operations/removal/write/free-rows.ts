import { rowName } from '../../frames/frames.ts'
import type { CheckpointRow } from '../../rows/checkpoint-row.ts'
import type { ThreadFacts } from '../../rows/thread-row.ts'
import type { LaneRows } from '../read/lane-rows.ts'

/** Of rows that nobody shows, those that nothing stands on that stays: when they go, nothing is written anew. */
export async function freeRows(
  lanes: LaneRows,
  remaining: readonly ThreadFacts[],
  unshown: readonly CheckpointRow[],
): Promise<CheckpointRow[]> {
  const nameOf = (row: CheckpointRow): string => rowName(row.lane, row.seq)
  const all = await lanes.ofAll(remaining.flatMap(({ segments }) => segments.map(({ lane }) => lane)))
  const known = new Map([...unshown, ...all].map((row) => [nameOf(row), row]))
  const names = new Set(unshown.map(nameOf))
  const needed = new Set<string>()
  for (const row of all) {
    if (names.has(nameOf(row))) continue
    for (let link: CheckpointRow | undefined = row; link?.facts.frame.base;) {
      const below = rowName(...link.facts.frame.base)
      // From there the way down is the same.
      if (needed.has(below)) break
      needed.add(below)
      link = known.get(below)
    }
  }
  return unshown.filter((row) => !needed.has(nameOf(row)))
}
