import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'

engineSuite({
  name: 'better-sqlite3',
  host: [process.execPath, here(import.meta.url, 'host.ts')],

  hosts: 'many',
  databases: 'many',
})
