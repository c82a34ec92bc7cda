import { here } from '../../support/here.ts'
import { inWorkerd } from '../workerd.ts'

await inWorkerd(here(import.meta.url, 'worker.ts'), {
  durableObjects: { FAMILY: { className: 'Family', useSQLite: true } },
})
