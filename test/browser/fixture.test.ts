import { openCheckpointer } from 'forkpoint'
import { expect, it } from 'vitest'
import { commands } from 'vitest/browser'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import { typesOfRich } from '../faults/support/rich.ts'
import { asRead } from '../format/as-read.ts'
import { dump } from '../format/dump.ts'
import { fillWithEverything } from '../format/everything.ts'
import { expectFixture, FIXTURES } from '../format/fixture.ts'

const run = Math.random().toString(36).slice(2)
const file = (name: string, ending: string): string => `test/fixtures/format-${name}.${ending}`

/** With `npm run fixture`: writes the fixture of the current format anew, from the database of a real browser. */
const isMaking =
  (import.meta as unknown as { env: Record<string, string> }).env['VITE_MAKE_FIXTURE'] === 'yes'

it.runIf(isMaking)('is made of a database in a real browser (only by npm run fixture)', async () => {
  const name = `make-${run}`
  const storage = (): ReturnType<typeof indexedDbStorage> => indexedDbStorage({ name })
  const open = (options = {}) => openCheckpointer({ name, onWarning: () => {}, ...options })
  const end = await fillWithEverything({ open, storage })
  const reader = await open({ storage: storage(), types: typesOfRich })
  expect((await reader.verify()).problems).toMatchObject([{ kind: 'loss' }])
  const states = JSON.stringify(await asRead(reader))
  await reader.close()
  const rows = storage()
  await commands.writeFile(file(String(CURRENT_FORMAT), 'jsonl'), `${await dump(rows)}\n`)
  await commands.writeFile(file(String(CURRENT_FORMAT), 'states.json'), `${states}\n`)
  await end()
  await rows.destroy()
})

it.each(FIXTURES)('a database of format %s opens here', async (fixture) => {
  const read = async (ending: string) => (await commands.readFile(file(fixture, ending))).trimEnd()
  const name = `fixture-${run}-${fixture}`
  const open = () => indexedDbStorage({ name })
  await expectFixture(open, await read('jsonl'), await read('states.json'))
  await open().destroy()
})
