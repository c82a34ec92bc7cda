import { here } from '../../support/here.ts'
import { inWorkerd } from '../workerd.ts'

await inWorkerd(here(import.meta.url, 'in-workers.ts'), { durableObjects: { STORE: { className: 'Store' } } })
