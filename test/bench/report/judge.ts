import { contenderNames, described, floorOf, type ContenderName, type Measure } from '../contenders.ts'
import type { Figures, Stopped } from '../figures.ts'
import type { Spread } from '../statistics.ts'
import type { WorkloadName } from '../workloads.ts'
import { isBytes } from './units.ts'

/** Without them a run says nothing. */
const NEEDED = ['floor', 'floor-relaxed', 'forkpoint'] as const

/** Whom a run has lost of those without whom it says nothing. */
export const lostIn = ({ contenders }: Figures): ContenderName[] =>
  NEEDED.filter((name) => contenders[name] === undefined || contenders[name].failed !== undefined)

/** What forkpoint may cost, as so many times what the floor does. */
export const MOST: Partial<Record<Measure, number>> = {
  save: 2,
  saveFrozen: 2,
  load: 1.5,
  again: 0.5,
  page: 2,
  fork: 2,
  prune: 30,
}
export const MOST_BLOCKED = { frozen: 1, plain: 8 }
export const MOST_GROWTH = 1.5
/** Two medians of one run that are as close as this are equal. */
const EQUAL = 1.1
/** What was timed less often says nothing of who is faster. */
const FEWEST = 3

/** A target that is about one workload. */
const MEASURED: Partial<Record<Measure, readonly WorkloadName[]>> = { prune: ['prune'] }

/** What may still be compared of who has not come to the end: what does not depend on how much is there. */
const SAME: Record<Stopped['what'], readonly Measure[]> = {
  // The last step was saved nevertheless, without those before it.
  steps: ['open', 'load', 'again', 'list', 'fork'],
  threads: ['prune'],
  forks: ['save', 'blocked', 'fork', 'open', 'load', 'again', 'page'],
  answers: ['save', 'blocked', 'open', 'load', 'again', 'fork'],
}

export const figureOf = (figures: Figures, name: ContenderName, measure: Measure): Spread | undefined =>
  figures.contenders[name]?.measures[measure]

/** Whether a figure is of the same work as everyone's. */
export const isOfAll = (figures: Figures, name: ContenderName, measure: Measure): boolean =>
  (figures.contenders[name]?.stopped ?? []).every(({ what }) => SAME[what].includes(measure))

export function ratioOf(figures: Figures, name: ContenderName, measure: Measure): number | undefined {
  const floor = floorOf(name)
  if (!isOfAll(figures, name, measure) || !isOfAll(figures, floor, measure)) return undefined
  const least = figureOf(figures, floor, measure)
  const own = figureOf(figures, name, measure)
  return least && own && least.median > 0 ? own.median / least.median : undefined
}

interface Judged {
  readonly value: number
  readonly met: boolean
}

export function judged(figures: Figures, measure: Measure): Judged | undefined {
  const most = MOST[measure]
  const value = ratioOf(figures, 'forkpoint', measure)
  const where = MEASURED[measure]
  if (most === undefined || value === undefined) return undefined
  if (where && !where.includes(figures.workload)) return undefined
  return { value, met: value <= most }
}

/** Who is ahead of forkpoint among those that persist, and by how much. */
export function ahead(figures: Figures, measure: Measure): { name: ContenderName; times: number }[] {
  const own = figureOf(figures, 'forkpoint', measure)
  if (!own || !isComparable(figures, 'forkpoint', measure)) return []
  return contenderNames
    .filter(
      (name) => name !== 'forkpoint' && !name.startsWith('floor') && described(name).durability !== 'none',
    )
    .filter((name) => isComparable(figures, name, measure))
    .flatMap((name) => {
      const other = figureOf(figures, name, measure)
      return other && own.median > other.median * EQUAL ? [{ name, times: own.median / other.median }] : []
    })
    .toSorted((a, b) => b.times - a.times)
}

function isComparable(figures: Figures, name: ContenderName, measure: Measure): boolean {
  const times = figureOf(figures, name, measure)?.times ?? 0
  return isOfAll(figures, name, measure) && (isBytes(measure) || times >= FEWEST)
}
