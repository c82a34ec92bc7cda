import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'

engineSuite({
  name: 'libsql-file',
  host: [process.execPath, here(import.meta.url, 'host.ts')],

  hosts: 'many',
  databases: 'many',
})
