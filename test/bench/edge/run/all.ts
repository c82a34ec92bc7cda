import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { root } from '../../../../scripts/doors.ts'
import { postgres, sqlite } from './engines.ts'
import { measure, type Figures } from './measure.ts'

const steps = process.argv.includes('--short') ? 60 : 500
const engines = { sqlite, postgres }
const asked = Object.entries(engines).filter(([name]) => process.argv.includes(name))
const load = loadavg()[0] ?? 0
const found: Figures[] = []
for (const [, start] of asked.length > 0 ? asked : Object.entries(engines)) {
  const engine = await start()
  try {
    found.push(await measure(engine, steps))
  } finally {
    await engine.end()
  }
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
const times = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ×`
const mb = (value: number): string => `${(value / 1e6).toFixed(1)} MB`

const rows = found.flatMap((f) => [
  [
    f.engine,
    `a save, of ${f.savedBytes} bytes`,
    ms(f.save),
    `a bare upsert of as many: ${ms(f.bareSave)}`,
    times(f.save / f.bareSave),
    '≤ 2 ×',
    f.save <= 2 * f.bareSave,
  ],
  [
    f.engine,
    'load of the latest, nothing known',
    ms(f.load),
    `a bare read of the state: ${ms(f.bareLoad)}`,
    times(f.load / f.bareLoad),
    '≤ 2 ×',
    f.load <= 2 * f.bareLoad,
  ],
  [
    f.engine,
    `a fork at checkpoint ${steps}`,
    ms(f.forkLate),
    `a fork at 10: ${ms(f.forkEarly)}`,
    times(f.forkLate / f.forkEarly),
    'about 1 ×',
    f.forkLate <= 1.5 * f.forkEarly,
  ],
  [
    f.engine,
    `a save of LangGraph's at step ${steps}`,
    ms(f.ourPut),
    `${f.rival}: ${ms(f.rivalPut)}`,
    `${times(f.rivalPut / f.ourPut)} as fast`,
    '≥ 3 ×',
    f.rivalPut >= 3 * f.ourPut,
  ],
  [
    f.engine,
    'bytes of all its steps',
    mb(f.ourBytes),
    `${f.rival}: ${mb(f.rivalBytes)}`,
    `${times(f.rivalBytes / f.ourBytes)} fewer`,
    '≥ 20 ×',
    f.rivalBytes >= 20 * f.ourBytes,
  ],
])
const cells = rows.map((row) => [...row.slice(0, -1), row.at(-1) === true ? 'met' : 'missed'])
const table = [
  '| engine | | forkpoint | against | ratio | aimed at | |',
  '| --- | --- | --- | --- | --- | --- | --- |',
  ...cells.map((row) => `| ${row.join(' | ')} |`),
].join('\n')
const versions: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'test/bench/edge/package.json'), 'utf8'),
).dependencies
const libraries = [
  '@langchain/langgraph-checkpoint-sqlite',
  '@langchain/langgraph-checkpoint-postgres',
  'better-sqlite3',
  'pg',
]
const said = `# At the edge, measured

Written by \`npm run bench:edge\`. ${steps} steps of an agent's loop; medians of the last 50 steps, of 15 loads and of 15 forks,
everyone in turns on one machine with ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), whose load average was ${load.toFixed(0)}: read the ratios,
and where it is far above the processors not these either. Each commit is on the disk when it is acknowledged, the rivals'
too. Node ${process.versions.node}, ${libraries.map((name) => `${name} ${versions[name]}`).join(', ')}.

${table}

Rows that a Durable Object bills are counted in \`test/engines/on/durable-object/durable-object.test.ts\`.
`
console.log(said)
// What was measured of a part, or in short, is for whoever looks at it now.
if (steps === 500 && found.length === Object.keys(engines).length)
  writeFileSync(join(root, 'docs/bench/edge.md'), said)
