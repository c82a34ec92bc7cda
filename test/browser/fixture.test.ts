import { openCheckpointer } from 'forkpoint'
import { expect, it } from 'vitest'
import { commands } from 'vitest/browser'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import { fillRichly, typesOfRich } from '../faults/support/rich.ts'
import { asRead } from '../format/as-read.ts'
import { dump } from '../format/dump.ts'
import { expectFixture } from '../format/fixture.ts'

const run = Math.random().toString(36).slice(2)
const file = (format: number, ending: string): string => `test/fixtures/format-${format}.${ending}`

/** With `npm run fixture`: writes the fixture of the current format anew, from the database of a real browser. */
const isMaking =
  (import.meta as unknown as { env: Record<string, string> }).env['VITE_MAKE_FIXTURE'] === 'yes'

it.runIf(isMaking)('is made of a database in a real browser (only by npm run fixture)', async () => {
  const name = `make-${run}`
  const checkpointer = await openCheckpointer({ name, types: typesOfRich })
  await fillRichly(checkpointer)
  expect((await checkpointer.verify()).problems).toEqual([])
  const states = JSON.stringify(await asRead(checkpointer))
  await checkpointer.close()
  const storage = indexedDbStorage({ name })
  await commands.writeFile(file(CURRENT_FORMAT, 'jsonl'), `${await dump(storage)}\n`)
  await commands.writeFile(file(CURRENT_FORMAT, 'states.json'), `${states}\n`)
  await storage.destroy()
})

it.each(Array.from({ length: CURRENT_FORMAT }, (_, i) => i + 1))(
  'a database of format %i opens here',
  async (format) => {
    const read = async (ending: string) => (await commands.readFile(file(format, ending))).trimEnd()
    const name = `fixture-${run}`
    const open = () => indexedDbStorage({ name })
    await expectFixture(open, await read('jsonl'), await read('states.json'))
    await open().destroy()
  },
)
