import 'fake-indexeddb/auto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IDBFactory } from 'fake-indexeddb'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { page } from './examples/langgraph/page.ts'
import { page as without } from './examples/langgraph/without.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const document = read('../../docs/langgraph.md')
const example = read('./examples/langgraph/page.ts')

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  // Node has no Worker, and the default says so.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
})

it('shows the example that is tested, of at most 30 lines', () => {
  const [, shown = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(document) ?? []
  expect(shown.trim().split('\n').length).toBeLessThanOrEqual(30)
  expect(shown).toBe(example)
})

it('goes on where it was, in another page', async () => {
  expect(await page('Lisbon')).toBe('flights to Lisbon')
  expect(await page('Lisbon')).toBe('flights to Lisbon, booked Lisbon')
})

it('without the saver, and else the same, begins again', async () => {
  const same = example
    .replace('END, START,', 'END, MemorySaver, START,')
    .replace("import { ForkpointSaver } from 'forkpoint/langgraph'\n", '')
    .replace('new ForkpointSaver(checkpointer)', 'new MemorySaver()')
  expect(read('./examples/langgraph/without.ts')).toBe(same)
  expect(await without('Lisbon')).toBe('flights to Lisbon')
  expect(await without('Lisbon')).toBe('flights to Lisbon')
})

it('names the versions that are tested', () => {
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(read('../../package.json'))
  const rows = [...document.matchAll(/^\| `(@langchain\/[\w-]+)`.*? \| ([\d.]+) \|$/gm)]
  expect(rows).toHaveLength(4)
  for (const [, name = '', version] of rows) expect(version).toBe(manifest.devDependencies[name])
})
