import { ChatClient, type ConnectConnectionAdapter } from '@tanstack/ai-client'
import type { Checkpointer } from 'forkpoint'
import { forkpointStorage } from 'forkpoint/store'
import { persistReducer } from 'redux-persist'
import { createJSONStorage, persist } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'

declare const checkpointer: Checkpointer
declare const connection: ConnectConnectionAdapter

interface Chat {
  readonly messages: readonly string[]
  readonly say: (text: string) => void
}
const chat = (): Chat => ({ messages: [], say: () => {} })

/** Each library takes it without a type being named. */
createStore<Chat>()(persist(chat, { name: 'a', storage: forkpointStorage(checkpointer) }))
createStore<Chat>()(
  persist(chat, { name: 'a', storage: createJSONStorage(() => forkpointStorage(checkpointer)) }),
)
createStore<Chat>()(
  persist(chat, {
    name: 'a',
    storage: forkpointStorage(checkpointer),
    partialize: ({ messages }) => ({ messages }),
  }),
)
const storage = forkpointStorage(checkpointer)
createStore<Chat>()(persist(chat, { name: 'a', storage }))
persistReducer({ key: 'root', storage }, (state: object = {}) => state)
new ChatClient({ threadId: 'a', connection, persistence: storage })
