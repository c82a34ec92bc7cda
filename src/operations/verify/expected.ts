import { stretches, without, type Ranges } from '../rows/lanes.ts'
import type { ThreadRow } from '../rows/thread-row.ts'

export interface Expected {
  readonly thread: ThreadRow
  readonly from: number
  readonly to: number
}

/** The seqs between two others that must stand in a lane, each range with a thread that says so. */
export function expectedIn(
  threads: readonly ThreadRow[],
  lane: string,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): Expected[] {
  const wanted: Expected[] = []
  for (const thread of threads) {
    const { segments, next } = thread.facts
    for (const stretch of stretches(segments)) {
      if (stretch.lane !== lane) continue
      const span: Ranges[number] = [Math.max(1, from, stretch.from), Math.min(to, stretch.last, next - 1)]
      const mayBeGone = [...(stretch.hide ?? []), ...(stretch.gone ?? [])].sort((a, b) => a[0] - b[0])
      for (const [first, last] of without(span, mayBeGone)) wanted.push({ thread, from: first, to: last })
    }
  }
  return wanted
}
