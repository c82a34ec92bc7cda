import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'

engineSuite({
  name: 'neon',
  host: [process.execPath, here(import.meta.url, 'host.ts')],
  server: [process.execPath, here(import.meta.url, 'server.ts')],
  hosts: 'many',
  databases: 'one',
})
