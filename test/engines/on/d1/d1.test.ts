import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'

engineSuite({
  name: 'd1',
  host: [process.execPath, here(import.meta.url, 'host.ts')],

  hosts: 'one',
  databases: 'one',
})
