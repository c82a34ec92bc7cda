import type { CheckpointInfo, ThreadSummary } from '../../index.ts'

/** A line of the graph: a checkpoint, or another thread that goes on from one. */
export type GraphRow =
  | { readonly kind: 'checkpoint'; readonly info: CheckpointInfo }
  | {
      readonly kind: 'fork' | 'origin'
      readonly thread: string
      readonly at: number
      readonly parentId: string
    }

interface Place {
  readonly thread: string
  readonly namespace: string
}

export const keyOf = (row: GraphRow): string =>
  row.kind === 'checkpoint' ? `#${row.info.seq}` : `${row.kind} ${row.thread}`

/** What there is of a thread, newest first; each of its forks stands above the checkpoint that it goes on from. */
export function rowsOf(history: readonly CheckpointInfo[], others: readonly OtherRow[]): GraphRow[] {
  const rows: GraphRow[] = []
  let next = 0
  for (const info of history) {
    for (; (others[next]?.at ?? -1) >= info.seq; next++) rows.push(...others.slice(next, next + 1))
    rows.push({ kind: 'checkpoint', info })
  }
  return [...rows, ...others.slice(next)]
}

/** Other threads that go on from this place, or that it goes on from; those at the latest checkpoints first. */
export const othersOf = (place: Place, threads: Iterable<ThreadSummary>): OtherRow[] =>
  [...found(place, threads)].sort((a, b) => b.at - a.at)

export type OtherRow = Exclude<GraphRow, { readonly kind: 'checkpoint' }>

function* found({ thread, namespace }: Place, threads: Iterable<ThreadSummary>): Generator<OtherRow> {
  for (const { id, forkOf } of threads) {
    if (forkOf?.namespace !== namespace) continue
    const { seq: at, id: parentId } = forkOf
    if (forkOf.thread === thread) yield { kind: 'fork', thread: id, at, parentId }
    else if (id === thread) yield { kind: 'origin', thread: forkOf.thread, at, parentId }
  }
}
