import 'fake-indexeddb/auto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IDBFactory } from 'fake-indexeddb'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { done } from './examples/openai-agents/agent.ts'
import { page } from './examples/openai-agents/page.ts'
import { page as resumed } from './examples/openai-agents/resumed.ts'
import { done as doneOnTrip, hanging } from './examples/openai-agents/trip.ts'
import { page as without } from './examples/openai-agents/without.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const document = read('../../docs/openai-agents.md')

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  done.length = 0
  // Node has no Worker, and the default says so.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
})

it.each(['page', 'resumed'])('shows the example that is tested, of at most 30 lines: %s', (name) => {
  const shown = Array.from(document.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, code]) => code)
  const example = read(`./examples/openai-agents/${name}.ts`)
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(30)
  expect(shown).toContain(example)
})

it('compares them with the same examples without it', () => {
  const page = read('./examples/openai-agents/page.ts')
    .replace(/^import .* from 'forkpoint.*\n/gm, '')
    .replace('run, RunState', 'MemorySession, run')
    .replace(': it goes on with the run that waits, or begins one', '')
    .replace(', approve: boolean', '')
    .replace(/ {2}const checkpointer.*\n/, '')
    .replace("new ForkpointSession(checkpointer, 'trip')", "new MemorySession({ sessionId: 'trip' })")
    .replace(/ {2}const waiting[\s\S]*?\n {2}\}\n/, '')
    .replace('state ?? input', 'input')
    .replace(/ {2}if \(result[\s\S]*?dropRun\(\)\n/, '')
    .replace('  await checkpointer.close()\n', '')
  expect(read('./examples/openai-agents/without.ts')).toBe(page)
  const resumed = read('./examples/openai-agents/resumed.ts')
    .replace('import { agent }', "import { run } from '@openai/agents-core'\nimport { agent }")
    .replace(': it goes on with the run that was cut off, or begins one', '')
    .replace(/ {2}const options.*\n/, '')
    .replace(/\(await session.resume.*\n/, 'await run(agent, input, { session })\n')
  expect(read('./examples/openai-agents/resumed-without.ts')).toBe(resumed)
})

it('goes on where it was, in another page', async () => {
  expect(await page('Fly me to Lisbon', true)).toBe('May I book? (4 items)')
  expect(await page('Fly me to Lisbon', true)).toBe('You fly with TP 1351. (6 items)')
  expect(done).toEqual(['search Lisbon', 'book TP 1351'])
})

it('goes on with what the user said no to', async () => {
  await page('Fly me to Lisbon', false)
  expect(await page('Fly me to Lisbon', false)).toBe('You fly with TP 1351. (6 items)')
  expect(done).toEqual(['search Lisbon'])
})

it('without the session, begins again', async () => {
  expect(await without('Fly me to Lisbon')).toBe('May I book? (4 items)')
  expect(await without('Fly me to Lisbon')).toBe('May I book? (4 items)')
  expect(done).toEqual(['search Lisbon', 'search Lisbon'])
})

it('goes on with a run that was cut off, in another page', async () => {
  hanging.at = 'book'
  const cutOff = resumed('Fly me to Lisbon')
  cutOff.catch(() => {})
  await vi.waitFor(() => expect(doneOnTrip).toEqual(['search Lisbon', 'book TP 1351']))
  hanging.at = ''
  // Another tab waits for one that has the run.
  await expect(resumed('Fly me to Lisbon')).rejects.toMatchObject({ code: 'BLOCKED' })
})

it('names the version that is tested', () => {
  const { devDependencies } = JSON.parse(read('../../package.json')) as {
    devDependencies: Record<string, string>
  }
  expect(document).toContain(`| ${devDependencies['@openai/agents-core']} |`)
})
