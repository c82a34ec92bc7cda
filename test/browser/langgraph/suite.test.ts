import { openCheckpointer } from 'forkpoint'
import { afterAll, expect, it } from 'vitest'
import { langGraphSuite } from '../../support/langgraph-laws.ts'

const run = Math.random().toString(36).slice(2)
let count = 0
const warnings: unknown[] = []

let started = 0
const { Worker } = globalThis
globalThis.Worker = class extends Worker {
  constructor(...given: ConstructorParameters<typeof Worker>) {
    super(...given)
    started++
  }
}
afterAll(() => void (globalThis.Worker = Worker))

langGraphSuite('IndexedDB behind the worker', () =>
  openCheckpointer({
    name: `langgraph-${run}-${++count}`,
    worker: 'auto',
    onWarning: (warning) => warnings.push(warning),
  }),
)

it('each store of the suite was behind a worker of its own, and none was lost', () => {
  expect(count).toBeGreaterThan(0)
  expect(started).toBe(count)
  expect(warnings).toEqual([])
})
