import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** How a run ended, as `npm test` reads it. */
export interface Totals {
  passed: number
  failed: number
  /** What failed, by name, with what it said. */
  failures: string[]
  /** By name, with the reason where that does not say it. */
  skipped: string[]
  /** Tests that ran, by project: `node`, `chromium`, … */
  ran: Record<string, number>
  /** Tests that passed, and not at the first try, with what they said at that. */
  unsteady: string[]
}

/** Vitest's JSON reporter with the one thing it lacks: the project of each test. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const totals: Totals = { passed: 0, failed: 0, failures: [], skipped: [], ran: {}, unsteady: [] }
    const fail = (name: string, errors: readonly unknown[]): void => {
      totals.failed++
      totals.failures.push([name, ...errors.map(said)].join('\n  '))
    }
    for (const error of unhandled) fail('outside of all tests', [error])
    for (const module of modules) {
      const project = module.project.name
      const file = `${project}: ${module.relativeModuleId}`
      // A file that could not be loaded has no tests to fail.
      for (const error of module.errors()) fail(file, [error])
      for (const suite of module.children.allSuites())
        for (const error of suite.errors()) fail(`${file}: ${suite.fullName}`, [error])
      for (const test of module.children.allTests()) {
        const result = test.result()
        const { state } = result
        const name = `${file}: ${test.fullName}`
        if (test.diagnostic()?.flaky)
          totals.unsteady.push([name, ...(result.errors ?? []).map(said)].join('\n  '))
        if (state === 'skipped')
          totals.skipped.push(result.note === undefined ? name : `${name}: ${result.note}`)
        else {
          if (state === 'passed') totals.passed++
          else fail(name, result.errors ?? [])
          totals.ran[project] = (totals.ran[project] ?? 0) + 1
        }
      }
    }
    const file = process.env['FORKPOINT_TOTALS']
    if (file !== undefined) writeFileSync(file, JSON.stringify(totals))
  }
}

/** What an error says, in a few lines: the rest stands where it was thrown. */
function said(error: unknown): string {
  const text =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
  return text.slice(0, 500).split('\n').slice(0, 6).join('\n  ')
}
