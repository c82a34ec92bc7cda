import type { Compared, Figures, SaveFigures, Spread } from './figures.ts'
import { CONTENDERS, KEEPERS, type Kind, type Stepper } from './page/api.ts'
import type { Target } from './targets.ts'

/** The figures for people. */
export function report(figures: Figures, targets: readonly Target[]): string {
  const { steps, saves, burst, behind, journal, blocking, bytes, loads, forks, background, removals } =
    figures
  return [
    ...savesTable('plain', saves.plain, steps),
    '',
    ...savesTable('frozen', saves.frozen, steps),
    '',
    `forkpoint, in a burst: ${spreadText(burst)}, all ${steps} in ${ms(burst.total)}`,
    `  its calls hold the page: median ${ms(blocking.median)}, longest ${blocking.longest.map(({ step, sync }) => `${ms(sync)} (step ${step})`).join(', ')}`,
    '',
    `written behind, in a burst: ${ms(behind.async)} for each save until all are durable, ${number(behind.async / behind.sync)} x sync (${ms(behind.sync)})`,
    `steps of a run that do nothing, beside a raw put (${ms(journal.raw.wall)}): ${stepText('one', journal.plain)}, ${stepText('two in a row', journal.two)}, ${stepText('external', journal.external)}`,
    ...KEEPERS.map(
      (keeper) =>
        `save beside compaction and ${keeper}: ${spreadText(background.saves[keeper])} (${background.left[keeper]} of ${background.of} checkpoints left)`,
    ),
    `  beside neither: ${spreadText(background.saves.nothing)}`,
    '',
    `bytes handed in: ${mb(bytes.counts.bytesPut)} for a final state of ${mb(bytes.state)} (stored: ${mb(bytes.stored)})`,
    `  ${bytes.counts.commits} commits (${bytes.counts.rewrites} of them new keyframes), ${bytes.counts.rowsPut} rows put, ${bytes.counts.reads} reads of ${bytes.counts.rowsRead} rows`,
    '',
    `${'load'.padEnd(34)}${['raw', 'forkpoint', 'ratio'].map((text) => text.padStart(11)).join('')}`,
    loadLine('cold, new page', loads.cold),
    loadLine('cold, new worker, compiled page', loads.freshWorker),
    loadLine('warm', loads.warm),
    loadLine('history, 50 summaries', loads.history),
    '',
    `fork: at the head of 10 ${ms(forks.short)}, of ${steps} ${ms(forks.long)}, at the tenth of ${steps} ${ms(forks.early)}`,
    `prune ${steps} to 20: ${ms(removals.prune)}, then delete: ${ms(removals.deletePruned)}, delete of ${steps}: ${ms(removals.deleteWhole)}`,
    '',
    ...targets.map(targetLine),
    '',
  ].join('\n')
}

function savesTable(kind: Kind, of: Figures['saves'][Kind], steps: number): string[] {
  const row = (name: string, text: (figures: SaveFigures) => string): string =>
    name.padEnd(34) + CONTENDERS.map((each) => text(of[each]).padStart(30)).join('')
  return [
    `${`save, ${kind} state`.padEnd(34)}${['raw, what changed', 'raw, whole', 'forkpoint'].map((text) => text.padStart(30)).join('')}`,
    row('until durable', ({ wall }) => ms(wall)),
    row(
      '  all steps: median, p95, p99',
      ({ all }) => `${number(all.median)} ${number(all.p95)} ${ms(all.p99)}`,
    ),
    row('  by fifths of the loop', ({ fifths }) => fifths.map(number).join(' ')),
    row('page blocked', ({ blocked }) => ms(blocked)),
    row('  by the call', ({ sync }) => ms(sync)),
    row('  by the answer', ({ reply }) => ms(reply)),
    row('  longest gap meanwhile', ({ gap }) => ms(gap)),
    row(`  longest call of ${steps - 1} (step)`, ({ worst }) => `${ms(worst.sync)} (${worst.step})`),
    row('  more than 5 x the median', ({ worst }) => String(worst.over)),
  ]
}

const loadLine = (name: string, { raw, forkpoint, ratio }: Compared): string =>
  name.padEnd(34) + [ms(raw), ms(forkpoint), `${number(ratio)} x`].map((text) => text.padStart(11)).join('')

const targetLine = ({ name, value, most, met }: Target): string =>
  `${met ? 'PASS' : 'miss'}  ${name.padEnd(42)}${number(value).padStart(7)} x   at most ${number(most)} x`

const stepText = (name: string, { wall, ratio }: Figures['journal'][Stepper]): string =>
  `${name} ${ms(wall)} (${number(ratio)} x)`

const spreadText = ({ median, p95, p99 }: Spread): string =>
  `median ${ms(median)}, p95 ${ms(p95)}, p99 ${ms(p99)}`

const number = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
const ms = (value: number): string => `${number(value)} ms`
const mb = (value: number): string => `${(value / 1e6).toFixed(2)} MB`
