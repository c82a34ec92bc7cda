import { newLane, type Ranges, type Segment } from '../../rows/lanes.ts'
import type { ThreadLine } from '../lines.ts'

/** Forks of forks go this deep at most. */
const MOST_SEGMENTS = 10_000

/** A lane of a file, with the name that it gets here. */
export interface PlannedLane {
  readonly name: string
  /** No row in it has a lower seq. */
  readonly from: number
  /** The lane before it, and up to where that is shown: the same for all who show this one. */
  readonly below: { readonly lane: number; readonly to: number } | undefined
  /** The thread that writes into it, if that is in the file. */
  owner?: PlannedThread
}

export interface PlannedThread {
  readonly line: ThreadLine
  readonly segments: readonly Segment[]
}

/** How the threads of one family share lanes. */
export interface Plan {
  readonly threads: readonly PlannedThread[]
  readonly lanes: ReadonlyMap<number, PlannedLane>
}

/** What the lines of a family say of its lanes; why not, when that cannot be. */
export function planOf(lines: readonly ThreadLine[]): Plan | string {
  const lanes = new Map<number, PlannedLane>()
  const threads: PlannedThread[] = []
  const places = new Set<string>()
  for (const line of lines) {
    const place = JSON.stringify([line.thread, line.namespace])
    if (places.has(place)) return 'it has a thread twice'
    places.add(place)
    const wrong = addLanes(lanes, line)
    if (wrong !== undefined) return wrong
    const segments = line.segments.map(({ lane, ...rest }) => ({ lane: nameOf(lanes, lane), ...rest }))
    const own = lanes.get(line.segments.at(-1)?.lane ?? -1)
    if (!own || own.owner) return 'two threads have one lane'
    own.owner = { line, segments }
    threads.push(own.owner)
  }
  if (lines.some(({ thread }) => !places.has(JSON.stringify([thread, '']))))
    return 'a thread has namespaces and no root'
  return { threads, lanes }
}

const nameOf = (lanes: ReadonlyMap<number, PlannedLane>, number: number): string =>
  lanes.get(number)?.name ?? ''

function addLanes(lanes: Map<number, PlannedLane>, { segments, next }: ThreadLine): string | undefined {
  if (segments.length === 0 || segments.length > MOST_SEGMENTS) return 'a thread shows no lanes, or too many'
  let below: PlannedLane['below']
  for (const [i, { lane, to, hide }] of segments.entries()) {
    const isOwn = i === segments.length - 1
    if ((to === undefined) !== isOwn) return 'a lane has no end, or one too many'
    if (to !== undefined && to <= (below?.to ?? -1)) return 'lanes do not follow each other'
    if (!areRanges(hide)) return 'what is hidden are no ranges'
    const known = lanes.get(lane)
    if (known && (known.below?.lane !== below?.lane || known.below?.to !== below?.to))
      return 'a lane stands on two others'
    if (!known) lanes.set(lane, { name: newLane(), from: (below?.to ?? -1) + 1, below })
    if (to !== undefined) below = { lane, to }
  }
  return below && next <= below.to ? 'a thread goes on before what it shows' : undefined
}

function areRanges(ranges: Ranges | undefined): boolean {
  let last = -2
  return (ranges ?? []).every(([from, to]) => {
    const isNext = from > last + 1 && to >= from
    last = to
    return isNext
  })
}

/** The segments through which rows of this lane are read: those below it, then itself. */
export function lineageOf(plan: Plan, number: number): Segment[] {
  const lineage: Segment[] = [{ lane: nameOf(plan.lanes, number) }]
  for (let { below } = plan.lanes.get(number) ?? {}; below;) {
    lineage.unshift({ lane: nameOf(plan.lanes, below.lane), to: below.to })
    below = plan.lanes.get(below.lane)?.below
  }
  return lineage
}

/** Whether a row may stand on another: in its own lane, or in one below as far as that is shown. */
export function mayStandOn(
  plan: Plan,
  row: { readonly lane: number; readonly seq: number },
  [lane, seq]: readonly [lane: number, seq: number],
): boolean {
  if (seq >= row.seq) return false
  if (lane === row.lane) return true
  for (let { below } = plan.lanes.get(row.lane) ?? {}; below;) {
    const found = plan.lanes.get(below.lane)
    if (below.lane === lane) return found !== undefined && seq >= found.from && seq <= below.to
    below = found?.below
  }
  return false
}
