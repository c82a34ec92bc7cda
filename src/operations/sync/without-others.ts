import { CheckpointerError } from '../../errors.ts'
import { oldestFirst } from '../store/find.ts'
import type { ForkRequest } from '../host.ts'
import { keyOf } from '../rows/checkpoint-row.ts'
import { withSeqs, type Segment } from '../rows/lanes.ts'
import { type ThreadRow } from '../rows/thread-row.ts'
import { goneSaves, saveText } from '../store/gone.ts'
import type { Store } from '../store/store.ts'
import { describe } from '../store/threads.ts'

/** What a fork borrows of its origin without what that had not, where the fork was made. */
export async function withoutOthers(
  store: Store,
  origin: ThreadRow,
  last: number,
  { thread, namespace, as, only = [], heard }: ForkRequest,
  segments: readonly Segment[],
): Promise<Segment[]> {
  const gone = await goneSaves(store, as, heard)
  const shown = new Set(only.map((save) => saveText(namespace, save)).filter((save) => !gone.has(save)))
  const others: { lane: string; seq: number }[] = []
  let borrowed = 0
  let isPoint = false
  for await (const row of oldestFirst(store, origin, { to: last })) {
    isPoint = shown.has(saveText(namespace, { id: keyOf(row.facts) }))
    if (isPoint) borrowed++
    else others.push(row)
  }
  // What would be missing came behind all that is borrowed: then it is no fork, but its rows come in their order.
  if (!isPoint || borrowed < shown.size)
    throw new CheckpointerError(
      'NOT_FOUND',
      `Thread ${describe({ thread, namespace })} lacks what a fork of it shows.`,
      {
        thread,
        namespace,
      },
    )
  return segments.map((segment) => {
    const seqs = others.filter((row) => row.lane === segment.lane).map(({ seq }) => seq)
    return seqs.length > 0 ? { ...segment, hide: withSeqs(segment.hide, seqs) } : segment
  })
}
