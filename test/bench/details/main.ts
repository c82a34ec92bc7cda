/**
 * `npm run bench:details`: what single calls of forkpoint cost, beside plain IndexedDB in the same run.
 * `--short` takes fewer steps, `--json` prints the figures alone, `--check` fails on a missed target,
 * `--browser firefox` takes another one.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { withBrowser, type Engine } from './browser.ts'
import { measure } from './figures.ts'
import { report } from './report.ts'
import { targets } from './targets.ts'

const { values } = parseArgs({
  options: {
    browser: { type: 'string', default: 'chromium' },
    check: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    steps: { type: 'string' },
  },
})

const steps = Number(values.steps ?? (values.short ? 120 : 500))
if (!Number.isSafeInteger(steps) || steps < 60) throw new Error('--steps takes a whole number from 60')
const say = (what: string): void => console.error(`… ${what}`)

await withBrowser(engine(values.browser), async (browser) => {
  const figures = await measure(browser, steps, say)
  const judged = targets(figures)
  const machine = `${browser.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`
  if (values.json) console.log(JSON.stringify({ machine, ...figures, targets: judged }, null, 2))
  else {
    console.log(`\n${machine}\n\n${report(figures, judged)}`)
    if (steps !== 500) console.log('The targets are meant for 500 steps.')
  }
  if (values.check && judged.some(({ met }) => !met)) process.exitCode = 1
})

function engine(name: string): Engine {
  if (name === 'chromium' || name === 'firefox') return name
  throw new Error(`--browser: '${name}' is none of chromium, firefox`)
}
