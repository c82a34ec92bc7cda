import { seqOf, seqRange } from '../../storage/keys.ts'
import { openCheckpoint, type CheckpointFacts } from '../rows/checkpoint-row.ts'
import type { BirthFacts } from '../rows/birth-row.ts'
import { includes, stretches, withGone, type Segment } from '../rows/lanes.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { unlessUnread } from '../store/unread.ts'

const PAGE = 128
const END = Number.MAX_SAFE_INTEGER - 1

/** A namespace's row, made again from what its lane was made for and from what stands in its lanes. */
export async function rebuiltFacts(
  store: Store,
  partition: string,
  lane: string,
  born: BirthFacts,
): Promise<ThreadFacts> {
  const { segments = [{ lane }], ...names } = born
  let head: CheckpointFacts | undefined
  let highest = segments.at(-2)?.to ?? 0
  const whole: Segment[] = []
  for (const { from, last, ...segment } of stretches(segments)) {
    const gaps: (readonly [from: number, to: number])[] = []
    let next = Math.max(1, from)
    for await (const { seq, facts } of standing(store, partition, segment.lane, from, last)) {
      if (seq > next) gaps.push([next, seq - 1])
      next = seq + 1
      highest = Math.max(highest, seq)
      if (facts && !includes(segment.hide, seq)) head = facts
    }
    const end = segment.to ?? highest
    if (next <= end) gaps.push([next, end])
    whole.push(gaps.length > 0 ? { ...segment, gone: withGone(segment.gone, gaps) } : segment)
  }
  return {
    ...names,
    updatedAt: Math.max(born.createdAt, head?.createdAt ?? 0),
    lane,
    segments: whole,
    next: highest + 1,
    ...(head ? { head } : {}),
  }
}

async function* standing(
  store: Store,
  partition: string,
  lane: string,
  from: number,
  last: number,
): AsyncGenerator<{ seq: number; facts: CheckpointFacts | undefined }> {
  for (let low = from; ;) {
    const query = { table: 'checkpoints', ...seqRange(lane, low, Math.min(last, END)), limit: PAGE } as const
    const [rows = []] = await store.storage.read(partition, [query])
    for (const row of rows)
      yield { seq: seqOf(row.key), facts: unlessUnread(() => openCheckpoint(partition, row))?.facts }
    const end = rows.at(-1)
    if (!end || rows.length < PAGE) return
    low = seqOf(end.key) + 1
  }
}
