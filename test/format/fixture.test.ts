import 'fake-indexeddb/auto'
import { readdirSync, readFileSync } from 'node:fs'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import { expectFixture } from './fixture.ts'

/** Written in a real browser by `npm run fixture`, once for each format, and opened for ever. */
const folder = new URL('../fixtures/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8').trimEnd()
const formats = readdirSync(folder).flatMap((name) => /^format-(\d+)\.jsonl$/.exec(name)?.[1] ?? [])

it('there is a fixture of each format', () => {
  const all = Array.from({ length: CURRENT_FORMAT }, (_, i) => String(i + 1))
  expect(formats.sort()).toEqual(all)
})

it.each(formats)('a database of format %s opens in memory', async (format) => {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  await expectFixture(() => storage, read(`format-${format}.jsonl`), read(`format-${format}.states.json`))
})

it.each(formats)('a database of format %s opens in IndexedDB', async (format) => {
  const open = () => indexedDbStorage({ name: `fixture-${format}` })
  await expectFixture(open, read(`format-${format}.jsonl`), read(`format-${format}.states.json`))
})
