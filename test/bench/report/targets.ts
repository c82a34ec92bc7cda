import type { Measure } from '../contenders.ts'
import type { Figures } from '../figures.ts'
import { ahead, figureOf, judged, MOST, MOST_BLOCKED, MOST_GROWTH } from './judge.ts'
import { TITLES } from './tables.ts'
import { number, ratio } from './units.ts'

const measures = Object.keys(MOST) as Measure[]

/** A row for each workload: what forkpoint takes of what it may take, and whether somebody else is ahead. */
export function targetTable(all: readonly Figures[]): string[] {
  const rows = all.map((figures) => {
    const cells = measures.map((measure) => {
      const found = judged(figures, measure)
      return found ? `${ratio(found.value)}${found.met ? '' : ' **missed**'}` : '–'
    })
    const behind = (Object.keys(TITLES) as Measure[]).filter((measure) => ahead(figures, measure).length > 0)
    const first = behind.length === 0 ? 'yes' : `not in: ${behind.map((each) => TITLES[each]).join(', ')}`
    return `| ${figures.workload} | ${cells.join(' | ')} | ${first} |`
  })
  return [
    `| of forkpoint, to the floor | ${measures.map((each) => TITLES[each]).join(' | ')} | first or equal, of those that persist |`,
    `| --- |${measures.map(() => ' ---: |').join('')} --- |`,
    `| at most | ${measures.map((each) => ratio(MOST[each] ?? 0)).join(' | ')} | |`,
    ...rows,
  ]
}

interface SingleTarget {
  readonly what: string
  readonly value: number
  readonly most: number
  readonly unit: 'ms' | '×'
  readonly times: number
}

/** Targets of one workload alone. */
export function singleTargets(all: readonly Figures[]): SingleTarget[] {
  const big = all.find(({ workload }) => workload === 'big')
  const growth = all.find((figures) => figures.growth)?.growth
  const blocked = (what: string, measure: Measure, most: number): SingleTarget[] => {
    const found = big && figureOf(big, 'forkpoint', measure)
    return found ? [{ what, value: found.median, most, unit: 'ms', times: found.times }] : []
  }
  return [
    ...blocked(
      'page blocked at 10 MB, one field changed, the rest frozen',
      'blockedFrozen',
      MOST_BLOCKED.frozen,
    ),
    ...blocked('the same with nothing frozen', 'blocked', MOST_BLOCKED.plain),
    ...(growth
      ? [
          {
            what: 'a save at 4,000 messages to one at 400, frozen',
            value: growth.long.median / growth.short.median,
            most: MOST_GROWTH,
            unit: '×',
            times: growth.long.times,
          } as const,
        ]
      : []),
  ]
}

export function targetLine({ what, value, most, unit, times }: SingleTarget): string {
  const [found, allowed] = unit === 'ms' ? [`${number(value)} ms`, `${most} ms`] : [ratio(value), ratio(most)]
  return `- ${what}: ${found} (n = ${times}), at most ${allowed}${value <= most ? '' : ' **missed**'}`
}

/** What is missed, and in which workloads, with what it came to: for whoever has to say why. */
export function missed(all: readonly Figures[]): string[] {
  if (all.length === 0) return ['Not measured yet: `npm run bench` fills this in.']
  const ratios = missedMeasures(all).map((measure) => {
    const found = all.flatMap((figures) => {
      const of = judged(figures, measure)
      return of && !of.met ? [`${ratio(of.value)} in \`${figures.workload}\``] : []
    })
    return `- ${TITLES[measure]}, at most ${ratio(MOST[measure] ?? 0)}: ${found.join(', ')}`
  })
  const single = singleTargets(all).filter(({ value, most }) => value > most)
  const lines = [...ratios, ...single.map(targetLine)]
  return lines.length > 0 ? lines : ['Nothing: all targets are met.']
}

export const missedMeasures = (all: readonly Figures[]): Measure[] =>
  measures.filter((measure) => all.some((figures) => judged(figures, measure)?.met === false))
