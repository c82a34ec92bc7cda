import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** How a run ended, as `npm test` reads it. */
export interface Totals {
  passed: number
  failed: number
  /** By name, with the reason where that does not say it. */
  skipped: string[]
  /** Tests that ran, by project: `node`, `chromium`, … */
  ran: Record<string, number>
  /** Tests that passed, and not at the first try. */
  unsteady: string[]
}

/** Vitest's JSON reporter with the one thing it lacks: the project of each test. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const totals: Totals = { passed: 0, failed: unhandled.length, skipped: [], ran: {}, unsteady: [] }
    for (const module of modules) {
      // A file that could not be loaded has no tests to fail.
      totals.failed += module.errors().length
      for (const test of module.children.allTests()) {
        const result = test.result()
        const { state } = result
        const name = `${module.relativeModuleId}: ${test.fullName}`
        if (test.diagnostic()?.flaky) totals.unsteady.push(name)
        if (state === 'skipped')
          totals.skipped.push(result.note === undefined ? name : `${name}: ${result.note}`)
        else {
          if (state === 'passed') totals.passed++
          else totals.failed++
          totals.ran[module.project.name] = (totals.ran[module.project.name] ?? 0) + 1
        }
      }
      for (const suite of module.children.allSuites()) totals.failed += suite.errors().length
    }
    const file = process.env['FORKPOINT_TOTALS']
    if (file !== undefined) writeFileSync(file, JSON.stringify(totals))
  }
}
