import { here } from '../../support/here.ts'
import { inWorkerd } from '../workerd.ts'

await inWorkerd(here(import.meta.url, 'worker.ts'), {
  d1Databases: ['DB'],
  durableObjects: { HOST: { className: 'Host', useSQLite: true } },
})
