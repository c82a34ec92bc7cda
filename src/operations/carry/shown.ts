import { includes, stretches, type Ranges, type Segment } from '../rows/lanes.ts'

interface View {
  readonly to: number
  readonly hide: Ranges
  /** What is hidden and what is gone, in order. */
  readonly without: Ranges
}

interface Views {
  /** Up to here some thread shows everything that is there. */
  all: number
  readonly each: View[]
}

/** Which rows any of many threads shows, by lane. */
export class Shown {
  readonly #lanes = new Map<string, Views>()

  constructor(threads: Iterable<{ readonly segments: readonly Segment[]; readonly next: number }>) {
    for (const { segments, next } of threads)
      for (const { lane, to = next - 1, hide = [], gone = [] } of stretches(segments)) {
        const views: Views = this.#lanes.get(lane) ?? { all: -1, each: [] }
        this.#lanes.set(lane, views)
        views.each.push({ to, hide, without: [...hide, ...gone].sort((a, b) => a[0] - b[0]) })
        if (hide.length === 0) views.all = Math.max(views.all, to)
      }
  }

  has(lane: string, seq: number): boolean {
    const views = this.#lanes.get(lane)
    if (!views) return false
    return seq <= views.all || views.each.some(({ to, hide }) => seq <= to && !includes(hide, seq))
  }

  /** The first seqs in this range whose rows must be there. */
  expected(lane: string, from: number, to: number): Ranges[number] | undefined {
    const each = this.#lanes.get(lane)?.each ?? []
    const [first] = each.flatMap((view) => firstWith(view, from, to)).sort((a, b) => a[0] - b[0])
    return first
  }
}

function firstWith(view: View, from: number, to: number): Ranges {
  let [seq, last] = [from, Math.min(to, view.to)]
  for (const [start, end] of view.without)
    if (start <= seq) seq = Math.max(seq, end + 1)
    else last = Math.min(last, start - 1)
  return seq <= last ? [[seq, last]] : []
}
