import { afterAll, beforeAll } from 'vitest'
import { EngineAtWork } from '../../engines/support/engine.ts'
import { here } from '../../engines/support/here.ts'
import { engineLaws } from '../../engines/support/laws.ts'

const work = new EngineAtWork({
  name: 'node:sqlite',
  host: [process.execPath, here(import.meta.url, 'host.ts')],
  hosts: 'many',
  databases: 'many',
})
beforeAll(() => work.start())
afterAll(() => work.end())

engineLaws(work)
