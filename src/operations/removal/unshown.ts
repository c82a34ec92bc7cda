import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import { shows } from '../rows/lanes.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'

export const isShown = (threads: readonly ThreadFacts[], { lane, seq }: CheckpointRow): boolean =>
  threads.some(({ segments }) => shows(segments, lane, seq))
