import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'
import { cutLaws } from './cut-laws.ts'
import { ownLaws } from './own-laws.ts'

engineSuite(
  {
    name: 'postgres',
    host: [process.execPath, here(import.meta.url, 'host.ts')],
    server: [process.execPath, here(import.meta.url, 'server.ts')],
    hosts: 'many',
    databases: 'one',
  },
  (work) => {
    ownLaws(work)
    cutLaws(work)
  },
)
