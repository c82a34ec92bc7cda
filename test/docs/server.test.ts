import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { VERBS } from '../../src/operations/verbs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const document = readFileSync(join(root, 'docs/server.md'), 'utf8')
const [serverCode = '', pageCode = '', keptApart = '', families = ''] = [
  ...document.matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code)

function newFolder(): string {
  const temp = join(root, 'test/docs/temp')
  mkdirSync(temp, { recursive: true })
  const folder = mkdtempSync(join(temp, 'server-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What stands around the shorter examples, and is not said there. */
const SURROUNDINGS = `
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { createHandler, familiesHost, type FamilyIndex, type IndexedThread } from 'forkpoint/server'
import { memoryStorage } from 'forkpoint/storage/memory'

export const stores = new Map<string, Promise<Checkpointer>>()
export function storeOf(user: string): Promise<Checkpointer> {
  const known = stores.get(user) ?? openCheckpointer({ name: user, storage: memoryStorage() })
  stores.set(user, known)
  return known
}
export const userOf = (request: Request): string => request.headers.get('x-user') ?? ''
const entries = new Map<string, IndexedThread>()
export const index: FamilyIndex = {
  find: async (thread) => entries.get(thread),
  enter: async (entry) => entries.get(entry.thread) ?? (entries.set(entry.thread, entry), entry),
  touch: async (thread, rank) => void entries.set(thread, { ...(entries.get(thread) as IndexedThread), rank }),
  list: async ({ limit }) => [...entries.values()].sort((a, b) => b.rank - a.rank).slice(0, limit),
}
/** Stands for a Durable Object. */
export const objectOf = (name: string) => {
  const answer = createHandler(() => storeOf(name), { authorize: () => true })
  return { fetch: (input: string | URL | Request, init?: RequestInit) => answer(new Request(input, init)) }
}
`

/** A shorter example, type-checked and run. */
async function surrounded(code: string, gives: string): Promise<Record<string, unknown>> {
  const folder = newFolder()
  const file = join(folder, 'example.ts')
  writeFileSync(file, `${SURROUNDINGS}\n${code}\nexport { ${gives} }\n`)
  const config = { extends: join(root, 'tsconfig.json'), include: ['*.ts'], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
  return (await import(/* @vite-ignore */ file)) as Record<string, unknown>
}

it('the server and the page of docs/server.md do what they say', async () => {
  const folder = newFolder()
  const run = async (name: string, code: string): Promise<unknown> => {
    writeFileSync(join(folder, name), code)
    return import(/* @vite-ignore */ join(folder, name))
  }
  const { server } = (await run('server.ts', serverCode)) as { server: Server }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const { port } = server.address() as AddressInfo
  await run('page.ts', `const url = 'http://127.0.0.1:${port}/'\n${pageCode}`)
  const promised = [...pageCode.matchAll(/\) \/\/ (.*)$|console\.log\(error\.code\)\) \/\/ (.*)$/gm)].map(
    ([, a, b]) => a ?? b,
  )
  expect(promised).toHaveLength(2)
  expect(print.mock.calls.map(String)).toEqual(promised)
})

it('a function in place of the checkpointer gives each user a store of their own', async () => {
  const { handler } = await surrounded(keptApart, 'handler')
  const answer = handler as (request: Request) => Promise<Response>
  const opened = async (user: string): Promise<Checkpointer> => {
    const fetched = (input: string | URL | Request, init?: RequestInit) => answer(new Request(input, init))
    const host = remoteHost('http://localhost/', { fetch: fetched, headers: { 'x-user': user } })
    return openCheckpointer({ name: user, host })
  }
  const [ada, bob] = await Promise.all(['ada', 'bob'].map(opened))
  onTestFinished(() => void Promise.all([ada?.close(), bob?.close()]))
  await ada?.thread('t').save({ of: 'ada' })
  expect(await bob?.thread('t').load()).toBeUndefined()
  expect((await ada?.thread('t').load())?.state).toEqual({ of: 'ada' })
})

it('families are found by their index, and share nothing else', async () => {
  const { everything, stores } = await surrounded(families, 'everything')
  const checkpointer = everything as Checkpointer
  onTestFinished(() => checkpointer.close())
  for (const id of ['one', 'two']) await checkpointer.thread(id).save({ id })
  await checkpointer.thread('one').fork({ as: 'one, again' })
  const listed: string[] = []
  for await (const { id } of checkpointer.threads()) listed.push(id)
  expect(listed.sort()).toEqual(['one', 'one, again', 'two'])
  expect([...(stores as Map<string, unknown>).keys()].sort()).toEqual(['one', 'two'])
})

it('the document names every verb that a caller from elsewhere may be asked about', () => {
  const named = new Set([...document.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const ours = ['owe', 'settle', 'rest', 'reconcile', 'recordLoss', 'close', 'destroy']
  expect(VERBS.filter((verb) => !ours.includes(verb) && !named.has(verb))).toEqual([])
})
