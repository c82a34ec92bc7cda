import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { sqliteSchema } from 'forkpoint/storage/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { Document, engineVersions } from '../support/document.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const document = new Document('sqlite.md')

function newFolder(): string {
  const temp = join(root, 'test/docs/temp')
  mkdirSync(temp, { recursive: true })
  const folder = mkdtempSync(join(temp, 'sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('the example makes a file in which its query finds what the thread did', async () => {
  const folder = newFolder()
  const file = join(folder, 'example.ts')
  writeFileSync(file, document.block('ts').replace(`'agent.db'`, JSON.stringify(join(folder, 'agent.db'))))
  await import(/* @vite-ignore */ file)
  const query = /"(SELECT[^"]*)"/.exec(document.block('sh'))?.[1] ?? ''
  const database = new DatabaseSync(join(folder, 'agent.db'))
  onTestFinished(() => database.close())
  expect(database.prepare(query).all()).toMatchObject([
    { seq: 1, parent: null, run: 'r1', node: 'plan', at: expect.stringMatching(/^20\d\d-/) },
    { seq: 2, parent: 1, run: 'r1', node: 'search' },
  ])
})

it('shows the schema as it is', () => {
  expect(document.block('sql').trim()).toBe(sqliteSchema.map((statement) => `${statement};`).join('\n'))
})

it('names the versions that are tested', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const engines = engineVersions()
  const wanted = ['bun', 'better-sqlite3', '@libsql/client', 'miniflare'].map((name) => [name, engines[name]])
  const tested = document.tested().map(([name, version]) => [name.replace('Bun', 'bun'), version])
  expect(tested).toEqual([['Node', devDependencies['node']], ...wanted])
})
