import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'
import { ownLaws } from './own-laws.ts'

engineSuite(
  {
    name: 'redis',
    host: [process.execPath, here(import.meta.url, 'host.ts')],
    server: [process.execPath, here(import.meta.url, 'server.ts')],
    hosts: 'many',
    databases: 'many',
  },
  ownLaws,
)
