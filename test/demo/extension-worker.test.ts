import 'fake-indexeddb/auto'
import { afterAll, beforeAll, expect, it } from 'vitest'

type Listener = (...args: readonly unknown[]) => unknown

const heard = {
  clicked: [] as Listener[],
  alarm: [] as Listener[],
  startup: [] as Listener[],
  message: [] as Listener[],
}
const event = (listeners: Listener[]) => ({
  addListener: (listener: Listener) => void listeners.push(listener),
})

const alarms = new Set<string>()
let onClear = async (): Promise<void> => {}
const created: (() => void)[] = []
const page = { title: 'One', url: 'http://a.test/', parts: ['A sentence that is worth a note.'] }

/** What `chrome` is in a service worker, as far as the demo's needs it; alarms take the time that they take. */
const chrome = {
  action: { onClicked: event(heard.clicked) },
  alarms: {
    async create(name: string) {
      await Promise.resolve()
      alarms.add(name)
      for (const tell of created.splice(0)) tell()
    },
    async clear(name: string) {
      await onClear()
      return alarms.delete(name)
    },
    onAlarm: event(heard.alarm),
  },
  runtime: {
    id: 'own',
    getURL: (path: string) => `chrome-extension://own/${path}`,
    onConnect: { ...event([]), removeListener: () => {} },
    onMessage: event(heard.message),
    onStartup: event(heard.startup),
  },
  scripting: { executeScript: async () => [{ result: page }] },
}

beforeAll(async () => {
  Object.assign(globalThis, { chrome })
  await import('../../demo/extension/worker.ts')
})
afterAll(() => void Reflect.deleteProperty(globalThis, 'chrome'))

const click = (): void => {
  for (const listener of heard.clicked) listener({ id: 1, windowId: 1, url: page.url })
}

it('adds all listeners in its first turn, also those by which a browser starts it again', () => {
  expect(Object.values(heard).map(({ length }) => length)).toEqual([1, 1, 1, 1])
})

it('keeps the alarm of a run that begins while another one ends', async () => {
  // The second begins while the alarm of the first is being cleared.
  const meanwhile = new Promise<void>((resolve) => {
    onClear = async () => {
      onClear = async () => {}
      const isSet = new Promise<void>((set) => created.push(set))
      click()
      await Promise.race([isSet, new Promise((go) => setTimeout(go, 200))])
      resolve()
    }
  })
  click()
  await expect.poll(() => alarms.size, { timeout: 10_000 }).toBe(1)
  await meanwhile
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(alarms.size).toBe(1)
  await expect.poll(() => alarms.size, { timeout: 10_000 }).toBe(0)
})

it('clears an alarm that another life has left, when it finds nothing to do', async () => {
  alarms.add('go on')
  for (const listener of heard.alarm) listener()
  await expect.poll(() => alarms.size).toBe(0)
})
