import { ChatClient, stream } from '@tanstack/ai-client'
import type { ForkpointStorage } from 'forkpoint/store'
import { legacy_createStore as createReduxStore } from 'redux'
import { persistReducer, persistStore } from 'redux-persist'
import { expect, it, vi } from 'vitest'
import { createJSONStorage, persist } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import { fullable } from '../../support/fullable.ts'
import { tabs } from './ground.ts'

/** A library over a store: what its user says, and what it shows. */
interface Page {
  readonly say: (text: string) => unknown
  readonly shown: () => readonly string[]
}
type Open = (storage: ForkpointStorage) => Promise<Page>

const zustand =
  (asText: boolean): Open =>
  async (storage) => {
    const store = createStore<{ said: string[] }>()(
      persist(() => ({ said: [] as string[] }), {
        name: 'item',
        storage: asText ? createJSONStorage(() => storage) : storage,
      }),
    )
    await vi.waitFor(() => expect(store.persist.hasHydrated()).toBe(true))
    return {
      // As everybody calls it: nobody looks at what its storage gives.
      say: (text) => void store.setState(({ said }) => ({ said: [...said, text] })),
      shown: () => store.getState().said,
    }
  }

const reduxPersist: Open = async (storage) => {
  const reducer = (said: { list: string[] } = { list: [] }, { text }: { type: string; text?: string }) =>
    text === undefined ? said : { list: [...said.list, text] }
  const store = createReduxStore(persistReducer({ key: 'root', storage, timeout: 0 }, reducer))
  const persistor = persistStore(store)
  await vi.waitFor(() => expect(persistor.getState().bootstrapped).toBe(true))
  return {
    say: (text) => {
      store.dispatch({ type: 'say', text })
      return persistor.flush()
    },
    shown: () => store.getState().list,
  }
}

const tanstack: Open = async (storage) => {
  const client = new ChatClient({
    threadId: 'item',
    persistence: storage,
    connection: stream(async function* () {
      yield { type: 'RUN_STARTED', threadId: 'item', runId: 'run' } as never
      yield { type: 'RUN_FINISHED', threadId: 'item', runId: 'run' } as never
    }),
  })
  await storage.getItem('item')
  await new Promise((resolve) => setTimeout(resolve, 20))
  return {
    say: (text) => client.sendMessage(text),
    shown: () =>
      client
        .getMessages()
        .filter(({ role }) => role === 'user')
        .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.content : '')).join('')),
  }
}

const libraries: Readonly<Record<string, Open>> = {
  zustand: zustand(false),
  'zustand, with texts': zustand(true),
  'redux-persist': reduxPersist,
  'TanStack AI': tanstack,
}

it.each(Object.entries(libraries))(
  '%s: of a full disk its user hears once, and what was said is there once there is room',
  async (_name, open) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    // What a library has to say of a rejection is its own.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const disk = fullable()
    const tab = tabs({ storage: disk.storage })
    const { storage, errors } = await tab()
    const page = await open(storage)
    await page.say('one')
    await storage.flush()
    disk.fill()
    await page.say('two')
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'QUOTA' }]))
    await page.say('three')
    await expect(storage.flush()).rejects.toMatchObject({ code: 'QUOTA' })
    expect(page.shown()).toEqual(['one', 'two', 'three'])
    expect(errors).toHaveLength(1)

    disk.empty()
    // Whichever call is the first to be told: the value is kept, and the next try stores it.
    await storage.flush().catch(() => {})
    await storage.flush()
    expect(errors).toHaveLength(1)
    const next = await open((await tab()).storage)
    await vi.waitFor(() => expect(next.shown()).toEqual(['one', 'two', 'three']))
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', unhandled)
    vi.restoreAllMocks()
    expect(unhandled).not.toHaveBeenCalled()
  },
)
