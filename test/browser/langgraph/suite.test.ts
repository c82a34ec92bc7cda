import { openCheckpointer } from 'forkpoint'
import { langGraphSuite } from '../../support/langgraph-laws.ts'

const run = Math.random().toString(36).slice(2)
let count = 0

langGraphSuite('IndexedDB behind the worker', () =>
  openCheckpointer({ name: `langgraph-${run}-${++count}`, worker: 'auto' }),
)
