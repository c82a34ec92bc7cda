import type { CheckpointRow } from '../rows/checkpoint-row.ts'
import type { ThreadFacts, Tip } from '../rows/thread-row.ts'
import type { ThreadLoss } from './losses.ts'

/**
 * The head that a removal leaves: what is then last. Where there are several, what one that goes has continued takes its
 * place, unless another head follows that already: so all stores that remove the same come to the same.
 */
export function headsAfter({ thread, shown, seqs }: ThreadLoss): Pick<ThreadFacts, 'head' | 'tips'> {
  const { head, tips } = thread.facts
  if (seqs.size === 0) return { ...(head ? { head } : {}), ...(tips ? { tips } : {}) }
  const stays = shown.filter(({ seq }) => !seqs.has(seq))
  const last = stays.at(-1)
  if (!last) return {}
  if (!tips || !head) return { head: last.facts }
  const ways = new Ways(shown, seqs)
  const now = ways.nearest(head.id) ?? last
  const left: Tip[] = []
  for (const { id, run } of tips) {
    const row = ways.nearest(id)
    if (!row) continue
    const others = [now.facts.id, ...tips.map((tip) => tip.id).filter((other) => other !== id)]
    const isPast =
      others.some((other) => ways.leads(other, row)) || left.some((tip) => tip.id === row.facts.id)
    if (!isPast) left.push({ seq: row.seq, id: row.facts.id, ...(run && row.facts.id === id ? { run } : {}) })
  }
  return { head: now.facts, tips: left }
}

/** From each checkpoint to what it continues. */
class Ways {
  readonly #rows: ReadonlyMap<string, CheckpointRow>
  readonly #going: ReadonlySet<number>

  constructor(shown: readonly CheckpointRow[], going: ReadonlySet<number>) {
    this.#rows = new Map(shown.map((row) => [row.facts.id, row]))
    this.#going = going
  }

  /** The first that stays. */
  nearest(id: string): CheckpointRow | undefined {
    for (const row of this.#from(id)) if (!this.#going.has(row.seq)) return row
    return undefined
  }

  leads(id: string, to: CheckpointRow): boolean {
    for (const row of this.#from(id)) if (row === to) return true
    return false
  }

  *#from(id: string): Generator<CheckpointRow> {
    const met = new Set<CheckpointRow>()
    for (let row = this.#rows.get(id); row && !met.has(row);) {
      yield row
      met.add(row)
      row = this.#rows.get(row.facts.parent?.id ?? '')
    }
  }
}
