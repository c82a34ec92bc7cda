import 'fake-indexeddb/auto'
import { readdirSync, readFileSync } from 'node:fs'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import { META_NAMES } from '../../src/storage/keys.ts'
import { TABLES, type Storage } from '../../src/storage/storage.ts'
import { factsOf, type StoredRow } from '../faults/support/rows.ts'
import { listOf } from '../../src/testing/checkpointer/ground.ts'
import { restore } from './dump.ts'
import { expectFixture, FIXTURES } from './fixture.ts'

/** Written in a real browser by `npm run fixture`, once for each format, and opened for ever. */
const folder = new URL('../fixtures/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8').trimEnd()
const rowsIn = (name: string): StoredRow[] =>
  read(`format-${name}.jsonl`)
    .split('\n')
    .map((line) => JSON.parse(line) as StoredRow)
const held = (): Storage => Object.assign(memoryStorage(), { close: async () => {} })

it('there is a fixture of each format', () => {
  const files = readdirSync(folder).flatMap((name) => /^format-(.+)\.jsonl$/.exec(name)?.[1] ?? [])
  expect(files.sort()).toEqual([...FIXTURES].sort())
  const all = Array.from({ length: CURRENT_FORMAT }, (_, i) => String(i + 1))
  expect(FIXTURES.filter((name) => /^\d+$/.test(name))).toEqual(all)
})

it('that of the current format has every kind of row, and every fact that the document names', () => {
  const rows = rowsIn(String(CURRENT_FORMAT))
  expect(new Set(rows.map(({ table }) => table))).toEqual(new Set(TABLES))
  const meta = rows.filter(({ table }) => table === 'meta')
  expect(new Set(meta.map(({ key }) => key[0]))).toEqual(new Set(META_NAMES))
  const names = new Set(rows.flatMap((row) => namesIn(factsOf(row))))
  expect(factsNamed()).toContain('wrote')
  expect(
    [...factsNamed(), 'sweep', 'synced', 'own', 'by', 'made', 'places', 'hide', 'gone'].filter(
      (fact) => !names.has(fact),
    ),
  ).toEqual([])
})

/** At any depth: of a head within a thread's row, of a run within that. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(namesIn)]
}

/** In the tables of the document: the words of the first column, and of those in braces. */
function factsNamed(): string[] {
  const document = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8')
  const tables = document.split('| fact | |\n| --- | --- |\n').slice(2)
  return tables.flatMap((table) => {
    const rows = table.slice(0, table.indexOf('\n\n')).split('\n')
    return rows.flatMap((row) =>
      [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => String(name)),
    )
  })
}

it('and what was under way in it is found an hour later', async () => {
  const started = rowsIn(String(CURRENT_FORMAT)).find(({ key }) => key[0] === 'import') as StoredRow
  vi.useFakeTimers({ toFake: ['Date'], now: Number(factsOf(started)['at']) + 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  const storage = held()
  await restore(storage, read(`format-${CURRENT_FORMAT}.jsonl`))
  const checkpointer = await openCheckpointer({ name: 'fixture', storage })
  const runs = await listOf(checkpointer.runs())
  const statuses = new Map(runs.map(({ thread, status }) => [thread, status]))
  for (const status of ['finished', 'failed', 'stopped', 'waiting'])
    expect(statuses.get(`run ${status}`), status).toBe(status)
  expect(statuses.get('run running')).toBe('orphaned')
  expect((await checkpointer.thread('both').heads()).length).toBe(2)
  expect((await checkpointer.verify()).problems).toMatchObject([{ kind: 'loss', thread: 'lost' }])
  const { acts } = await checkpointer.verify({ repair: true })
  expect(acts).toMatchObject([{ act: 'accepted' }])
  // Nobody goes on with the import: what it had brought so far is gone.
  expect((await storage.partitions({ limit: 100 })).filter((name) => name.startsWith('i:'))).toEqual([])
  // Nor with the lease.
  const lease = await checkpointer.thread('facts').lease({ steal: true })
  expect((await checkpointer.thread('facts', { lease }).save({ n: 3 })).seq).toBe(3)
  await lease.release()
  await checkpointer.close()
})

it.each(FIXTURES)('a database of format %s opens in memory', async (name) => {
  const storage = held()
  await expectFixture(() => storage, read(`format-${name}.jsonl`), read(`format-${name}.states.json`))
})

it.each(FIXTURES)('a database of format %s opens in IndexedDB', async (name) => {
  const open = () => indexedDbStorage({ name: `fixture-${name}` })
  await expectFixture(open, read(`format-${name}.jsonl`), read(`format-${name}.states.json`))
})
