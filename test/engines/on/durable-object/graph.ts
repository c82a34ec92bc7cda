import { here } from '../../support/here.ts'
import { inWorkerd } from '../workerd.ts'

await inWorkerd(here(import.meta.url, 'graph-worker.ts'), {
  compatibilityFlags: ['nodejs_compat'],
  durableObjects: { GRAPH: { className: 'Graph', useSQLite: true } },
})
