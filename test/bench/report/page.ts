import type { Engine } from '../browser.ts'
import { contenderNames, described } from '../contenders.ts'
import type { Around, Figures } from '../figures.ts'
import { WORKLOADS } from '../workloads.ts'
import { tablesOf } from './tables.ts'
import { singleTargets, targetLine, targetTable } from './targets.ts'

/** The page of an engine, of what was measured last of each workload. */
export function page(engine: Engine, all: readonly Figures[]): string[] {
  const [first] = all
  if (!first) throw new Error('nothing was measured')
  const { around } = first
  return [
    '# Measured',
    '',
    'Made by `npm run bench`; do not edit. Everyone runs each workload in one browser, in turns of ten saves, each on an origin',
    'and a page of its own, and is used as its own documentation says. A cell is the median (and the 95th percentile; of fewer',
    'than twenty the longest), then what that is to the floor: plain IndexedDB that puts or gets just the bytes that are needed,',
    'under the same promise. n is how often each was timed; what was timed less than three times is not compared.',
    'The scales of the charts are logarithmic; a thin line leads from the median to the 95th percentile. In italics, and in brackets',
    'in the charts, is what was measured of less, of those that were given up.',
    '',
    ...machine(all, around),
    '',
    '## Targets',
    '',
    ...targetTable(all),
    '',
    ...singleTargets(all).map(targetLine),
    '',
    'Why one is missed is told in [ARCHITECTURE.md](../../ARCHITECTURE.md#where-a-target-is-missed).',
    '',
    '## Who is measured',
    '',
    ...contenders(around),
    '',
    '## What is measured',
    '',
    ...measures(),
    '',
    ...all.flatMap((figures) => [
      `## ${figures.workload}`,
      '',
      `${WORKLOADS[figures.workload].what}.`,
      '',
      `![${figures.workload}](${engine}/${figures.workload}.svg)`,
      '',
      ...tablesOf(figures),
      '',
    ]),
  ].slice(0, -1)
}

function machine(all: readonly Figures[], { machine: of, node }: Around): string[] {
  const runs = new Map<string, string[]>()
  for (const { workload, around } of all) {
    const run = `${around.day}, ${around.browser}, load at the start about ${Math.round(around.load)}`
    runs.set(run, [...(runs.get(run) ?? []), workload])
  }
  return [`${of}; Node ${node}.`, '', ...[...runs].map(([run, names]) => `- ${names.join(', ')}: ${run}`)]
}

function contenders({ versions }: Around): string[] {
  return [
    '| | version | stores | a save resolves |',
    '| --- | --- | --- | --- |',
    ...contenderNames.map((name) => {
      const { label, package: from, stores, durability } = described(name)
      const version = from === undefined ? '' : (versions[from] ?? '')
      const when = { strict: 'when it is on the disk', relaxed: 'when the browser has it', none: 'at once' }
      return `| ${label} | ${version} | ${stores} | ${when[durability]} (${durability}) |`
    }),
    '',
    'Strict and relaxed are what each does by default; ratios are to the floor of the same kind. What is relaxed is gone after',
    'a power cut, for some seconds back.',
  ]
}

function measures(): string[] {
  return [
    '- save: until its promise resolves; of y-indexeddb, which has none, until a read behind it comes back.',
    '- page blocked: the longest time in which the page could do nothing else, of every fourth save (in `big` and `stream` every',
    '  second); those are slower and do not count as saves.',
    '- bytes handed in: all that was put into IndexedDB by the page and its workers, through all steps that are measured.',
    '- bytes on disk: files of the database once the browser has ended; memory: of the page and its workers, after a collection.',
    '- open, load cold: on a new page, after the browser was started anew; a list of threads comes between the two.',
    '- load, warm: again, by who has loaded or saved it before. list: 50 threads. 50 summaries: what checkpoints there are,',
    '  without their states. fork: at the head (in `tree` at step 100). prune: to 20.',
  ]
}
