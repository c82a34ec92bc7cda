import { contenderNames, described, type ContenderName, type Measure } from '../contenders.ts'
import type { Figures } from '../figures.ts'
import type { Sizes } from '../sizes/sizes.ts'
import type { WorkloadName } from '../workloads.ts'
import { figureOf, isOfAll } from './judge.ts'
import { told, weight } from './units.ts'

/** What people ask first, each from the workload that shows it best. */
const COLUMNS: readonly { readonly title: string; readonly of: WorkloadName; readonly measure: Measure }[] = [
  { title: 'save, at 1.35 MB', of: 'chat', measure: 'save' },
  { title: 'page blocked by it', of: 'chat', measure: 'blocked' },
  { title: 'page blocked, at 10 MB', of: 'big', measure: 'blocked' },
  { title: 'on disk, 500 steps', of: 'chat', measure: 'disk' },
  { title: 'open', of: 'cold', measure: 'open' },
  { title: 'load, cold', of: 'cold', measure: 'load' },
  { title: 'load, warm', of: 'cold', measure: 'again' },
  { title: 'list', of: 'many', measure: 'list' },
  { title: 'fork', of: 'tree', measure: 'fork' },
  { title: 'prune 1,000', of: 'prune', measure: 'prune' },
]

const persisting = contenderNames.filter(
  (name) => !name.startsWith('floor') && described(name).durability !== 'none',
)
const shown = (name: ContenderName): string =>
  name === 'forkpoint' ? '**forkpoint**' : described(name).label

/** One line for each of those that persist, of medians. `page`: where the rest stands. */
export function speedTable(all: readonly Figures[], page: string): string[] {
  const cell = (name: ContenderName, { of, measure }: (typeof COLUMNS)[number]): string => {
    const figures = all.find(({ workload }) => workload === of)
    const found = figures && figureOf(figures, name, measure)
    if (!found) return '–'
    return isOfAll(figures, name, measure) ? told(measure, found.median) : `*${told(measure, found.median)}*`
  }
  const [first] = all
  if (!first) return ['Not measured yet: `npm run bench` fills this in.']
  return [
    `| | ${COLUMNS.map(({ title }) => title).join(' | ')} |`,
    `| --- |${COLUMNS.map(() => ' ---: |').join('')}`,
    ...persisting.map(
      (name) => `| ${shown(name)} | ${COLUMNS.map((column) => cell(name, column)).join(' | ')} |`,
    ),
    '',
    `Medians, ${first.around.browser}; a dash is what somebody does not do, and italics are of who was given up, with less done.`,
    `[All of it](${page}), with the 95th percentiles, the floor under each, and who is ahead where.`,
  ]
}

/** What each adds to an app, and under which licence. */
export function sizeTable(sizes: Sizes | undefined): string[] {
  if (!sizes) return ['Not measured yet: `npm run bench -- --sizes` fills this in.']
  return [
    '| | version | licence | first bundle | fetched when used |',
    '| --- | --- | --- | ---: | ---: |',
    ...contenderNames.flatMap((name) => {
      const size = sizes.contenders[name]
      if (!size) return []
      const { version = '', licence = '', first, later } = size
      return [
        `| ${shown(name)} | ${version} | ${licence} | ${weight(first)} | ${later === 0 ? '–' : weight(later)} |`,
      ]
    }),
  ]
}
