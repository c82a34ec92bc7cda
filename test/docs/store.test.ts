import 'fake-indexeddb/auto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openCheckpointer } from 'forkpoint'
import { forkpointStorage } from 'forkpoint/store'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { legacy_createStore as createReduxStore } from 'redux'
import { persistReducer, persistStore } from 'redux-persist'
import { page } from './examples/store/page.ts'
import { followStorage } from './examples/store/redux.ts'
import { page as without } from './examples/store/without.ts'
import { laidOut } from './support/same-code.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const document = read('../../docs/store.md')

beforeEach(() => {
  // Node has no Worker, and the default says so.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
})

it('shows the example that is tested, of at most 30 lines', () => {
  const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(document) ?? []
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(30)
  expect(example).toBe(read('./examples/store/page.ts'))
})

it('goes on where it was, in another page, back and forth', async () => {
  const { chat } = await page()
  chat.getState().say('To Lisbon')
  const reader = forkpointStorage(await openCheckpointer({ name: 'my-chats', worker: false }))
  await vi.waitFor(async () => expect(await reader.getItem('chat-42')).not.toBeNull())
  const next = await page()
  expect(next.chat.getState().messages).toEqual(['To Lisbon'])
  next.chat.getState().say('Porto')
  await vi.waitFor(() => expect(chat.getState().messages).toEqual(['To Lisbon', 'Porto']))
  expect(await next.undo()).toBe(true)
  await vi.waitFor(() => expect(next.chat.getState().messages).toEqual(['To Lisbon']))
  expect(await next.redo()).toBe(true)
  await vi.waitFor(() => expect(next.chat.getState().messages).toEqual(['To Lisbon', 'Porto']))
})

it('shows how redux is told of an undo', async () => {
  expect(document).toContain(read('./examples/store/redux.ts'))
  const checkpointer = await openCheckpointer({ name: 'my-slices', worker: false })
  const storage = forkpointStorage(checkpointer)
  const reducer = (said: { list: string[] } = { list: [] }, { text }: { type: string; text?: string }) =>
    text === undefined ? said : { list: [...said.list, text] }
  const store = createReduxStore(persistReducer({ key: 'root', storage, timeout: 0 }, reducer))
  const persistor = persistStore(store)
  await vi.waitFor(() => expect(persistor.getState().bootstrapped).toBe(true))
  const stop = followStorage(store, storage)
  for (const text of ['To Lisbon', 'on Monday']) {
    store.dispatch({ type: 'say', text })
    await persistor.flush()
    await storage.flush()
  }
  const shown = (): readonly string[] => store.getState().list
  expect(await storage.undo('persist:root')).toBe(true)
  await vi.waitFor(() => expect(shown()).toEqual(['To Lisbon']))
  await persistor.flush()
  await storage.flush()
  // What it then writes is what is there, and takes no redo away.
  expect(await storage.redo('persist:root')).toBe(true)
  await vi.waitFor(() => expect(shown()).toEqual(['To Lisbon', 'on Monday']))
  stop()
  await storage.close()
  await checkpointer.destroy()
})

it('compares it with the same example over localStorage, and without any storage', () => {
  const page = read('./examples/store/page.ts')
    .replace(/^import .* from 'forkpoint.*\n/gm, '')
    .replace(/ {2}const \{ hasHydrated[\s\S]*?\n {2}return .*/, '  return { chat }')
  const overLocalStorage = page
    .replace('import { persist }', 'import { createJSONStorage, persist }')
    .replace(
      / {2}const checkpointer.*\n {2}const storage.*/,
      '  const storage = createJSONStorage(() => localStorage)',
    )
  expect(laidOut(read('./examples/store/local-storage.ts'))).toBe(laidOut(overLocalStorage))
  const without = page
    .replace(/^import \{ persist.*\n/gm, '')
    .replace(/ {2}const checkpointer.*\n {2}const storage.*\n/, '')
    .replace('    persist(\n', '')
    .replace("      { name: 'chat-42', storage },\n    ),\n", '')
  expect(laidOut(read('./examples/store/without.ts'))).toBe(laidOut(without))
})

it('without it, begins again', async () => {
  ;(await without()).chat.getState().say('To Lisbon')
  expect((await without()).chat.getState().messages).toEqual([])
})

it('names the versions that are tested', () => {
  const { devDependencies } = JSON.parse(read('../../package.json')) as {
    devDependencies: Record<string, string>
  }
  const rows = [...document.matchAll(/^\| `([@\w/-]+)`.*? \| ([\d.]+) \|$/gm)]
  expect(rows).toHaveLength(5)
  for (const [, name = '', version] of rows) expect(version).toBe(devDependencies[name])
})
