import { contenderNames, described, type ContenderName, type Measure } from '../contenders.ts'
import type { Figures } from '../figures.ts'
import { ahead, figureOf, isOfAll, ratioOf } from './judge.ts'
import { isBytes, number, ratio, told } from './units.ts'

export const TITLES: Record<Measure, string> = {
  save: 'save',
  saveFrozen: 'save, frozen',
  blocked: 'page blocked',
  blockedFrozen: 'page blocked, frozen',
  handed: 'bytes handed in',
  disk: 'bytes on disk',
  open: 'open',
  load: 'load, cold',
  again: 'load, warm',
  list: 'list',
  page: '50 summaries',
  fork: 'fork',
  prune: 'prune',
  memory: 'memory',
}

const WRITING: readonly Measure[] = [
  'save',
  'saveFrozen',
  'blocked',
  'blockedFrozen',
  'handed',
  'disk',
  'memory',
]
const READING: readonly Measure[] = ['open', 'load', 'again', 'list', 'page', 'fork', 'prune']

/** The tables of a workload, and the reasons of their dashes. */
export function tablesOf(figures: Figures): string[] {
  const notes = new Notes()
  const writing = table(figures, WRITING, notes)
  const reading = table(figures, READING, notes)
  const streams = figures.workload === 'stream' ? [...streamTable(figures), ''] : []
  return [...streams, ...writing, '', ...reading, '', ...notes.lines(), ...aheadLines(figures)]
}

function table(figures: Figures, all: readonly Measure[], notes: Notes): string[] {
  const measures = all.filter((measure) => contenderNames.some((name) => figureOf(figures, name, measure)))
  return [
    `| | ${measures.map((measure) => TITLES[measure]).join(' | ')} |`,
    `| --- |${measures.map(() => ' ---: |').join('')}`,
    `| n | ${measures.map((measure) => timesOf(figures, measure)).join(' | ')} |`,
    ...contenderNames.map((name) => row(figures, name, measures, notes)),
  ]
}

/** How often each was measured: the same of all who came to the end. */
function timesOf(figures: Figures, measure: Measure): string {
  const times = contenderNames.flatMap((name) => figureOf(figures, name, measure)?.times ?? [])
  const [least, most] = [Math.min(...times), Math.max(...times)]
  return least === most ? String(most) : `${least} to ${most}`
}

function row(figures: Figures, name: ContenderName, measures: readonly Measure[], notes: Notes): string {
  const { label } = described(name)
  const marks = (figures.contenders[name]?.stopped ?? []).map(({ at, of, what }) =>
    notes.mark(
      `given up after ${at} of ${of} ${what}, as it took too long: what is in italics is of less, and is compared with nothing`,
    ),
  )
  const shown = name === 'forkpoint' ? `**${label}**` : label
  const cells = measures.map((measure) => cell(figures, name, measure, notes))
  return `| ${shown}${marks.join('')} | ${cells.join(' | ')} |`
}

/** Median, 95th percentile, and what that is to the floor. */
function cell(figures: Figures, name: ContenderName, measure: Measure, notes: Notes): string {
  const found = figureOf(figures, name, measure)
  if (!found) return `–${notes.mark(whyNot(figures, name, measure))}`
  const isOnce = isBytes(measure) || found.times === 1
  const value = isOnce ? told(measure, found.median) : `${told(measure, found.median)} (${number(found.p95)})`
  if (!isOfAll(figures, name, measure)) return `*${value}*`
  const times = name.startsWith('floor') || isBytes(measure) ? undefined : ratioOf(figures, name, measure)
  return times === undefined ? value : `${value} ${ratio(times)}`
}

function whyNot(figures: Figures, name: ContenderName, measure: Measure): string {
  const { cannot, skips } = described(name)
  const skipped = skips?.[figures.workload]
  const failed = figures.contenders[name]?.failed
  return (
    skipped ??
    cannot?.[measure] ??
    (failed === undefined ? undefined : `it failed: ${failed.replaceAll('|', '\\|')}`) ??
    (name.startsWith('floor') ? 'there is nothing of it to be read or written' : undefined) ??
    'the workload has none, or the browser does not tell'
  )
}

/** How an answer is stored while it comes in: not everyone promises as much. */
function streamTable(figures: Figures): string[] {
  return [
    '| | an answer, while it comes in | durability |',
    '| --- | --- | --- |',
    ...contenderNames
      .filter((name) => figureOf(figures, name, 'save'))
      .map((name) => {
        const { label, streams, durability } = described(name)
        const how = streams?.how ?? 'the state with what is there of it, in place, every 50 ms and at the end'
        return `| ${label} | ${how} | ${streams?.durability ?? durability} |`
      }),
  ]
}

function aheadLines(figures: Figures): string[] {
  const lines = [...WRITING, ...READING].flatMap((measure) => {
    const others = ahead(figures, measure)
    if (others.length === 0) return []
    const names = others.map(({ name, times }) => {
      const { label, durability, streams } = described(name)
      const promise = figures.workload === 'stream' && streams ? streams.durability : durability
      return `${label} (${promise}, ${ratio(1 / times)})`
    })
    return [`${TITLES[measure]}: ${names.join(', ')}`]
  })
  if (lines.length === 0) return ['', 'Of those that persist, forkpoint is first or equal in all of it.']
  return ['', 'Ahead of forkpoint, of those that persist:', '', ...lines.map((line) => `- ${line}`)]
}

/** Reasons, each told once. */
class Notes {
  readonly #texts: string[] = []

  mark(text: string): string {
    if (!this.#texts.includes(text)) this.#texts.push(text)
    return `<sup>${this.#texts.indexOf(text) + 1}</sup>`
  }

  lines(): string[] {
    return this.#texts.map((text, i) => `<sup>${i + 1}</sup> ${text}<br>`)
  }
}
