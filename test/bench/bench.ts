/**
 * `npm run bench`: forkpoint beside everything that people would pick instead, in a real browser, in one run for each
 * workload. `-- chat big` runs some of them; the tables in docs/bench are made of the last run of each. `--browser firefox`
 * takes another browser, `--sizes` measures only what each adds to a bundle, `--report` nothing. `--short` takes a few steps of each, `--of floor,forkpoint` some of
 * those who are measured: such figures are shown and not kept, unless `--to` names a folder for them. Ends with 1 when
 * forkpoint, or the floor, has failed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serving, type Engine } from './browser.ts'
import { contenderNames } from './contenders.ts'
import { keep, RESULTS, type Figures } from './figures.ts'
import { buildPackage, checkRivals, installRivals } from './install.ts'
import { lostIn } from './report/judge.ts'
import { writeReport } from './report/report.ts'
import { tablesOf } from './report/tables.ts'
import { runWorkload } from './run.ts'
import { measureSizes } from './sizes/sizes.ts'
import { workloadNames } from './workloads.ts'

const SHORT = 0.05

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    browser: { type: 'string', default: 'chromium' },
    of: { type: 'string', default: contenderNames.join() },
    report: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    sizes: { type: 'boolean', default: false },
    to: { type: 'string' },
  },
})
const engine = engineOf(values.browser)
const asked = someOf(workloadNames, positionals.length > 0 ? positionals : workloadNames)
const among = someOf(contenderNames, values.of.split(','))
const isWhole = !values.short && among.length === contenderNames.length
const folder = values.to ?? (isWhole ? RESULTS : undefined)
const say = (what: string): void => console.error(`… ${what}`)

if (!values.report) await measure()
if (folder !== undefined) for (const path of writeReport(folder, engine)) say(`written: ${path}`)

async function measure(): Promise<void> {
  installRivals()
  checkRivals()
  buildPackage()
  if (folder !== undefined && engine === 'chromium') await measureSizes(folder, say)
  if (values.sizes) return
  const temp = mkdtempSync(join(tmpdir(), 'forkpoint-bench-'))
  try {
    await serving(join(temp, 'page'), async (port) => {
      for (const name of asked) {
        const start = performance.now()
        const figures = await runWorkload(name, { engine, port, scale: values.short ? SHORT : 1, among, say })
        say(`${name}: ${Math.round((performance.now() - start) / 1000)} s`)
        take(figures)
      }
    })
  } finally {
    rmSync(temp, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

function take(figures: Figures): void {
  const lost = lostIn(figures).filter((name) => among.includes(name))
  if (lost.length > 0) {
    say(`${figures.workload} is not kept, as there is nothing of ${lost.join(', ')}`)
    process.exitCode = 1
  } else if (folder !== undefined) keep(folder, engine, figures)
  else console.log(`\n## ${figures.workload}\n\n${tablesOf(figures).join('\n')}`)
}

function someOf<Name extends string>(known: readonly Name[], asked: readonly string[]): Name[] {
  const unknown = asked.filter((name) => !known.some((each) => each === name))
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there are ${known.join(', ')}`)
  return known.filter((name) => asked.includes(name))
}

function engineOf(name: string): Engine {
  if (name === 'chromium' || name === 'firefox') return name
  throw new Error(`--browser: '${name}' is none of chromium, firefox`)
}
