import { contenderNames, described, type ContenderName, type Measure } from '../contenders.ts'
import type { Figures } from '../figures.ts'
import type { Spread } from '../statistics.ts'
import { TITLES } from './tables.ts'
import { figureOf, isOfAll } from './judge.ts'
import { told } from './units.ts'

/** Drawn of each workload: what is paid at each step, what a reload takes, what is left on the disk. */
const PANELS: readonly Measure[] = ['save', 'blocked', 'load', 'disk']

const [WIDTH, LABELS, VALUES, ROW, HEAD, GAP] = [880, 190, 70, 19, 34, 18]
const PANEL = (WIDTH - LABELS - GAP * (PANELS.length - 1)) / PANELS.length

/** Colours that can be read on white and on black; the ground is the page's. */
const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 } .name, .value { dominant-baseline: middle } .value { font-size: 10px; fill: #57606a }
  .axis { stroke: #d0d7de } .line { stroke: #8c959f; stroke-width: 2 } .tail { stroke: #8c959f; stroke-opacity: .5 }
  .dot { fill: #57606a } .floor .dot { fill: none; stroke: #57606a; stroke-width: 1.5 }
  .ours .dot { fill: #0969da } .ours .line, .ours .tail { stroke: #0969da } .ours .name { font-weight: 700; fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .value { fill: #9198a1 } .axis { stroke: #3d444d } .line, .tail { stroke: #767e88 }
    .dot { fill: #9198a1 } .floor .dot { stroke: #9198a1 } .ours .dot { fill: #4493f8 }
    .ours .line, .ours .tail { stroke: #4493f8 } .ours .name { fill: #4493f8 }
  }`

/** Medians as dots on logarithmic scales, with a thin line to the 95th percentile. The same figures, the same file. */
export function chart(figures: Figures): string {
  const names = contenderNames.filter((name) => PANELS.some((measure) => figureOf(figures, name, measure)))
  const height = HEAD + names.length * ROW + 6
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${figures.workload}: ${PANELS.map((measure) => TITLES[measure]).join(', ')}</title>`,
    `<style>${STYLE}</style>`,
    ...names.map(
      (name, i) =>
        `<g class="${kind(name)}"><text class="name" x="0" y="${middle(i)}">${shortName(name)}</text></g>`,
    ),
    ...PANELS.flatMap((measure, i) => panel(figures, measure, names, LABELS + i * (PANEL + GAP), height)),
    '</svg>',
    '',
  ].join('\n')
}

function panel(
  figures: Figures,
  measure: Measure,
  names: readonly ContenderName[],
  left: number,
  height: number,
): string[] {
  const found = names.map((name) => figureOf(figures, name, measure))
  const scale = logScale(
    found.filter((each) => each !== undefined),
    PANEL - VALUES,
  )
  return [
    `<text class="title" x="${left}" y="14">${TITLES[measure]}</text>`,
    `<line class="axis" x1="${left}" y1="${HEAD - 8}" x2="${left}" y2="${height - 4}"/>`,
    ...names.flatMap((name, i) => {
      const spread = found[i]
      if (!spread) return [`<text class="value" x="${left + 4}" y="${middle(i)}">–</text>`]
      const [at, tail] = [left + scale(spread.median), left + scale(Math.max(spread.median, spread.p95))]
      return [
        `<g class="${kind(name)}">`,
        `<line class="line" x1="${left}" y1="${middle(i)}" x2="${fixed(at)}" y2="${middle(i)}"/>`,
        `<line class="tail" x1="${fixed(at)}" y1="${middle(i)}" x2="${fixed(tail)}" y2="${middle(i)}"/>`,
        `<circle class="dot" cx="${fixed(at)}" cy="${middle(i)}" r="3.5"/>`,
        `<text class="value" x="${fixed(tail + 7)}" y="${middle(i)}">${label(figures, name, measure, spread)}</text>`,
        '</g>',
      ]
    }),
  ]
}

function logScale(spreads: readonly Spread[], width: number): (value: number) => number {
  const positive = spreads.flatMap(({ median, p95 }) => [median, p95]).filter((value) => value > 0)
  const low = Math.log10(Math.min(...positive, Number.MAX_VALUE)) - 0.3
  const high = Math.log10(Math.max(...positive, Number.MIN_VALUE))
  return (value) => (value <= 0 ? 0 : ((Math.log10(value) - low) / Math.max(high - low, 0.1)) * width)
}

/** In brackets what is of less, as in the tables it is in italics. */
function label(figures: Figures, name: ContenderName, measure: Measure, { median }: Spread): string {
  const text = told(measure, median)
  return isOfAll(figures, name, measure) ? text : `(${text})`
}

const kind = (name: ContenderName): string =>
  name === 'forkpoint' ? 'ours' : name.startsWith('floor') ? 'floor' : 'other'
const middle = (i: number): number => HEAD + i * ROW + 2
const fixed = (value: number): string => value.toFixed(1)
const shortName = (name: ContenderName): string => described(name).label.replace(' IndexedDB, ', ', ')
