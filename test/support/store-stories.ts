/**
 * What apps do with a store, page after page: each stage is a page of its own, with nothing of the one before but what is
 * stored. Each gives what its user sees.
 */
import { ChatClient, stream } from '@tanstack/ai-client'
import type { ForkpointStorage } from 'forkpoint/store'
import { legacy_createStore as createReduxStore } from 'redux'
import { persistReducer, persistStore, REHYDRATE, type PersistConfig } from 'redux-persist'
import { createJSONStorage, persist } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'

type Stage = (storage: ForkpointStorage) => Promise<unknown>

interface Message {
  readonly role: 'user' | 'agent'
  readonly text: string
}

const TOKENS = Array.from({ length: 60 }, (_, n) => `w${n} `)
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

const until = async (holds: () => boolean): Promise<void> => {
  for (let i = 0; i < 2000 && !holds(); i++) await soon()
}

interface Chat {
  readonly messages: readonly Message[]
  readonly say: (role: Message['role'], text: string) => void
  readonly add: (text: string) => void
}

function grown(messages: readonly Message[], text: string): readonly Message[] {
  const last = messages.at(-1)
  return last ? [...messages.slice(0, -1), { ...last, text: last.text + text }] : messages
}

/** The actions are functions, beside the state: as nearly every store of zustand's has them. */
const zustandChat = (storage: ForkpointStorage, asText: boolean) =>
  createStore<Chat>()(
    persist(
      (set) => ({
        messages: [],
        say: (role, text) => set(({ messages }) => ({ messages: [...messages, { role, text }] })),
        add: (text) => set(({ messages }) => ({ messages: grown(messages, text) })),
      }),
      { name: 'chat', storage: asText ? createJSONStorage(() => storage) : storage },
    ),
  )

async function hydrated(store: ReturnType<typeof zustandChat>): Promise<void> {
  if (store.persist.hasHydrated()) return
  await new Promise<void>((resolve) => void store.persist.onFinishHydration(() => resolve()))
}

function zustand(asText: boolean): readonly Stage[] {
  const openPage = async (storage: ForkpointStorage) => {
    const store = zustandChat(storage, asText)
    await hydrated(store)
    storage.subscribe((name) => void (name === 'chat' && store.persist.rehydrate()))
    const shown = (): string =>
      store
        .getState()
        .messages.map(({ text }) => text)
        .join('|')
    return { store, shown, ...store.getState() }
  }
  const turned = async (turning: Promise<boolean>, { shown }: Awaited<ReturnType<typeof openPage>>) => {
    const before = shown()
    const done = await turning
    // What follows is told to the store by its storage.
    await until(() => shown() !== before)
    return [done, shown()]
  }
  return [
    async (storage) => {
      const { say, add, shown } = await openPage(storage)
      say('user', 'Tell me')
      await storage.flush()
      say('agent', '')
      for (const token of TOKENS.slice(0, 30)) {
        add(token)
        await soon()
      }
      // And the page goes, in the middle of the answer: nothing is flushed.
      return shown()
    },
    async (storage) => {
      const { add, shown } = await openPage(storage)
      const found = shown()
      for (const token of TOKENS.slice(30)) add(token)
      await storage.flush()
      return [found, shown()]
    },
    async (storage) => {
      const page = await openPage(storage)
      page.say('user', 'Thanks')
      await storage.flush()
      return [await turned(storage.undo('chat'), page), await turned(storage.redo('chat'), page)]
    },
    async (storage) => {
      const page = await openPage(storage)
      const back = await turned(storage.undo('chat'), page)
      page.say('user', 'Why?')
      await storage.flush()
      return [back, page.shown(), await storage.redo('chat')]
    },
    async (storage) => (await openPage(storage)).shown(),
  ]
}

interface Slice {
  readonly chat: { readonly messages: readonly Message[] }
}
type SliceAction = { readonly type: 'say' | 'add'; readonly text: string }

function reduxChat(storage: ForkpointStorage) {
  const config: PersistConfig<Slice> = { key: 'root', storage, timeout: 0 }
  const initial: Slice = { chat: { messages: [] } }
  const reducer = (state: Slice = initial, action: SliceAction | { readonly type: string }): Slice => {
    if (!('text' in action)) return state
    const { messages } = state.chat
    const { type, text } = action
    return {
      chat: {
        messages: type === 'add' ? grown(messages, text) : [...messages, { role: 'user', text }],
      },
    }
  }
  const store = createReduxStore(persistReducer(config, reducer))
  const persistor = persistStore(store)
  return { store, persistor }
}

async function openRedux(storage: ForkpointStorage) {
  const { store, persistor } = reduxChat(storage)
  while (!persistor.getState().bootstrapped) await soon()
  const shown = (): string =>
    store
      .getState()
      .chat.messages.map(({ text }) => text)
      .join('|')
  const show = async (): Promise<string> => {
    const text = await storage.getItem<string>('persist:root')
    const record = JSON.parse(text ?? '{}') as Record<string, string>
    const payload = Object.fromEntries(Object.entries(record).map(([name, json]) => [name, JSON.parse(json)]))
    store.dispatch({ type: REHYDRATE, key: 'root', payload } as never)
    return shown()
  }
  const kept = async (): Promise<void> => {
    await persistor.flush()
    await storage.flush()
  }
  return { store, shown, show, kept }
}

const reduxPersist: readonly Stage[] = [
  async (storage) => {
    const { store, shown, kept } = await openRedux(storage)
    store.dispatch({ type: 'say', text: 'Tell me' })
    await kept()
    store.dispatch({ type: 'say', text: '' })
    for (const text of TOKENS.slice(0, 30)) {
      store.dispatch({ type: 'add', text })
      await soon()
    }
    // redux-persist itself writes a moment later; what it has not given away nobody else can keep.
    await soon()
    await soon()
    return shown()
  },
  async (storage) => {
    const { store, shown, kept } = await openRedux(storage)
    const found = shown()
    for (const text of TOKENS.slice(30)) store.dispatch({ type: 'add', text })
    await kept()
    return [found, shown()]
  },
  async (storage) => {
    const { store, show, kept } = await openRedux(storage)
    store.dispatch({ type: 'say', text: 'Thanks' })
    await kept()
    const undone = [await storage.undo('persist:root'), await show()]
    await kept()
    return [undone, [await storage.redo('persist:root'), await show()]]
  },
  async (storage) => (await openRedux(storage)).shown(),
]

function chatClient(storage: ForkpointStorage, upTo: number) {
  const client = new ChatClient({
    threadId: 'support-42',
    persistence: storage,
    connection: stream(async function* (_messages, _data, signal) {
      const [threadId, runId, messageId] = ['support-42', `run-${upTo}`, `answer-${upTo}`]
      yield { type: 'RUN_STARTED', threadId, runId } as never
      yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' } as never
      for (const delta of TOKENS.slice(0, upTo)) {
        await soon()
        yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta } as never
      }
      // A model that is still at it when the page goes.
      if (upTo < TOKENS.length) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      yield { type: 'TEXT_MESSAGE_END', messageId } as never
      yield { type: 'RUN_FINISHED', threadId, runId } as never
    }),
  })
  const shown = (): string =>
    client
      .getMessages()
      .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.content : part.type)).join())
      .join('|')
  return { client, shown }
}

const tanstack: readonly Stage[] = [
  async (storage) => {
    const { client, shown } = chatClient(storage, 30)
    await storage.getItem('support-42')
    await soon()
    void client.sendMessage('Tell me')
    await until(() => shown().endsWith('w29 '))
    return shown()
  },
  async (storage) => {
    const { client, shown } = chatClient(storage, TOKENS.length)
    await until(() => shown() !== '')
    const found = shown()
    await client.sendMessage('Go on')
    await storage.flush()
    return [found, shown()]
  },
  async (storage) => {
    const { client, shown } = chatClient(storage, TOKENS.length)
    await until(() => shown() !== '')
    const found = shown()
    client.clear()
    await soon()
    await storage.flush()
    return [found, await storage.getItem('support-42')]
  },
  async (storage) => {
    const undone = await storage.undo('support-42')
    const { shown } = chatClient(storage, TOKENS.length)
    await until(() => shown() !== '')
    return [undone, shown()]
  },
]

const stages = {
  zustand: zustand(false),
  'zustand, with texts': zustand(true),
  'redux-persist': reduxPersist,
  'TanStack AI': tanstack,
} satisfies Record<string, readonly Stage[]>

export type Story = keyof typeof stages

/** Plays one page of a story, and gives what its user sees. */
export const play = (story: Story, page: number, storage: ForkpointStorage): Promise<unknown> | undefined =>
  stages[story][page]?.(storage)

const [half, whole] = [TOKENS.slice(0, 30).join(''), TOKENS.join('')]

const zustandSees = [
  `Tell me|${half}`,
  [`Tell me|${half}`, `Tell me|${whole}`],
  [
    [true, `Tell me|${whole}`],
    [true, `Tell me|${whole}|Thanks`],
  ],
  [[true, `Tell me|${whole}`], `Tell me|${whole}|Why?`, false],
  `Tell me|${whole}|Why?`,
]

/** What is seen, page after page. */
export const seen: Readonly<Record<Story, readonly unknown[]>> = {
  zustand: zustandSees,
  'zustand, with texts': zustandSees,
  'redux-persist': [
    `Tell me|${half}`,
    [`Tell me|${half}`, `Tell me|${whole}`],
    [
      [true, `Tell me|${whole}`],
      [true, `Tell me|${whole}|Thanks`],
    ],
    `Tell me|${whole}|Thanks`,
  ],
  'TanStack AI': [
    `Tell me|${half}`,
    [`Tell me|${half}`, `Tell me|${half}|Go on|${whole}`],
    [`Tell me|${half}|Go on|${whole}`, null],
    [true, `Tell me|${half}|Go on|${whole}`],
  ],
}
