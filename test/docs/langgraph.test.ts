import 'fake-indexeddb/auto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IDBFactory } from 'fake-indexeddb'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const document = readFileSync(join(root, 'docs/langgraph.md'), 'utf8')
const example = /^```ts\n([\s\S]*?)^```$/m.exec(document)?.[1] ?? ''

let folder: string
beforeAll(() => {
  const temp = join(root, 'test/docs/temp')
  mkdirSync(temp, { recursive: true })
  folder = mkdtempSync(join(temp, 'langgraph-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => void (globalThis.indexedDB = new IDBFactory()))

/** Runs it, and gives what it printed. */
async function printedBy(name: string, code: string): Promise<readonly string[]> {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const file = join(folder, name)
  writeFileSync(file, code)
  await import(/* @vite-ignore */ file)
  return print.mock.calls.map((args) => args.map(String).join(' '))
}

it('the example of at most 30 lines goes on where it was, in another page', async () => {
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(30)
  const promised = [...example.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => text)
  expect(promised).toHaveLength(2)
  expect(await printedBy('with.ts', example)).toEqual(promised)
})

it('without the saver, its second page has lost the run', async () => {
  const without = example
    .replace('new ForkpointSaver(checkpointer)', 'new MemorySaver()')
    .replace('{ Annotation,', '{ MemorySaver, Annotation,')
  expect(without).not.toBe(example)
  await expect(printedBy('without.ts', without)).rejects.toThrow()
})

it('names the versions that are tested', () => {
  const manifest: { devDependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const rows = [...document.matchAll(/^\| `(@langchain\/[\w-]+)`.*? \| ([\d.]+) \|$/gm)]
  expect(rows).toHaveLength(4)
  for (const [, name = '', version] of rows) expect(version).toBe(manifest.devDependencies[name])
})
