import type { CheckpointRow } from '../../rows/checkpoint-row.ts'
import { includes, without, withMore, stretches, type Ranges } from '../../rows/lanes.ts'
import type { ThreadFacts } from '../../rows/thread-row.ts'

/** Tells whether any of these threads, of which there may be thousands in a lane, shows a row. */
export function shownBy(threads: readonly ThreadFacts[]): (row: CheckpointRow) => boolean {
  const lanes = new Map<string, [from: number, to: number][]>()
  for (const { segments } of threads)
    for (const { lane, from, last, hide } of stretches(segments)) {
      const ranges = lanes.get(lane) ?? []
      lanes.set(lane, ranges)
      ranges.push(...without([from, last], hide))
    }
  const shown = new Map<string, Ranges>([...lanes].map(([lane, ranges]) => [lane, withMore([], ranges)]))
  return ({ lane, seq }) => includes(shown.get(lane), seq)
}
