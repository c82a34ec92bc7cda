import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'

engineSuite({
  name: 'bun',
  host: [here(import.meta.url, '../../node_modules/.bin/bun'), here(import.meta.url, 'host.ts')],

  hosts: 'many',
  databases: 'many',
})
