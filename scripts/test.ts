/** `npm test`: sees to the browsers, runs Vitest, and ends with one line of totals. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserName, ensureBrowsers, wantedBrowsers } from './browsers.ts'
import { root } from './doors.ts'
import type { Totals } from './totals.ts'

/** Laws that hold already, in another setting, and what takes long on large things: run with `--all`, and by name. */
const LEFT_TO_ALL = [
  'test/browser/assistant-ui/*.test.ts',
  'test/browser/checkpointer-here.test.ts',
  'test/browser/langgraph/graph.test.ts',
  'test/browser/langgraph/suite.test.ts',
  'test/browser/no-channels.test.ts',
  'test/browser/reloads.test.ts',
  'test/browser/store/stories.test.ts',
  'test/browser/written-behind.test.ts',
  'test/checkpointer/in-memory/small-limits.test.ts',
  'test/checkpointer/in-memory/written-behind.test.ts',
  'test/checkpointer/suite-fake-indexeddb.test.ts',
  'test/demo/chat/access.test.ts',
  'test/demo/chat/long.test.ts',
  'test/demo/chat/scroll.test.ts',
  'test/extension/suite.test.ts',
  'test/faults/short/in-browsers.test.ts',
  'test/inspector/access.test.ts',
  'test/inspector/large.test.ts',
  'test/remote/suite.test.ts',
  'test/storage/sqlite/checkpointer.test.ts',
]

const args = process.argv.slice(2).filter((arg) => arg !== '--all')
const isShort = process.argv.length === 2
const wanted = wantedBrowsers(process.argv.slice(2))
const folder = mkdtempSync(join(tmpdir(), 'forkpoint-totals-'))

try {
  process.exitCode = await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<number> {
  const browsers = available()
  if (browsers === undefined) return 1
  if (browsers.length === 0)
    console.log('browsers: none, as FORKPOINT_BROWSERS says; only the tests on Node run')

  const file = join(folder, 'totals.json')
  const started = Date.now()
  const code = await vitest(browsers, file)
  const totals = readTotals(file)
  // With arguments a part of the tests was asked for, which may have none for a browser.
  const missing = args.length > 0 ? [] : browsers.filter((name) => (totals.ran[name] ?? 0) === 0)
  for (const name of missing) console.error(`${name}: not one test ran`)

  for (const name of totals.skipped) console.log(`skipped: ${name}`)
  for (const name of totals.unsteady) console.log(`not passed at the first try: ${name}`)
  // Last, as of a long log often only the end is kept.
  for (const failure of totals.failures) console.log(`FAILED: ${failure}`)
  console.log(`took ${((Date.now() - started) / 1000).toFixed(1)} s`)
  const skipped = totals.skipped.length > 0 ? `, ${totals.skipped.length} skipped` : ''
  console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`)
  return code !== 0 || totals.failed > 0 || totals.passed === 0 || missing.length > 0 ? 1 : 0
}

/** Chromium must be there. The others may be missing on a developer's machine, but not in CI. */
function available(): BrowserName[] | undefined {
  const found: BrowserName[] = []
  for (const name of wanted) {
    try {
      ensureBrowsers([name])
      found.push(name)
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      if (name === 'chromium' || process.env['CI'] !== undefined) return undefined
      console.error(`${name}: NOT TESTED`)
    }
  }
  return found
}

/** In a process group of its own, so that no browser outlives the run. */
async function vitest(browsers: readonly BrowserName[], file: string): Promise<number> {
  const reporters = ['--reporter=default', '--reporter=./scripts/totals.ts']
  const child = spawn('vitest', ['run', ...reporters, ...args], {
    cwd: root,
    stdio: 'inherit',
    detached: true,
    env: {
      ...process.env,
      FORKPOINT_BROWSERS: browsers.join(',') || 'none',
      FORKPOINT_TOTALS: file,
      // Projects have lists of their own of what they leave out: there `--exclude` does nothing.
      FORKPOINT_LEAVE_OUT: isShort ? LEFT_TO_ALL.join(',') : '',
      // A thousand by default, with `--all` too.
      ...(isShort && { FORKPOINT_MODEL_RUNS: '300' }),
    },
  })
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    } catch {
      // Nobody of the group is left.
    }
  }
  process.on('SIGINT', endGroup).on('SIGTERM', endGroup)
  try {
    const [code]: unknown[] = await once(child, 'exit')
    return typeof code === 'number' ? code : 1
  } finally {
    endGroup()
  }
}

function readTotals(file: string): Totals {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, failures: [], skipped: [], ran: {}, unsteady: [] }
  }
}
