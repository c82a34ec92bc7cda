import { openCheckpointer } from 'forkpoint'
import { forkpointStorage } from 'forkpoint/store'
import { persist } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla' // `create` of `zustand` takes the same

interface Chat {
  messages: string[]
  say(text: string): void
}

/** What a page does when it is loaded, and loaded again. */
export async function page() {
  const checkpointer = await openCheckpointer({ name: 'my-chats', durability: 'async' })
  const storage = forkpointStorage(checkpointer) // one for all stores of the page
  const chat = createStore<Chat>()(
    persist(
      (set) => ({
        messages: [],
        say: (text) => set(({ messages }) => ({ messages: [...messages, text] })),
      }),
      { name: 'chat-42', storage },
    ),
  )
  const { hasHydrated, onFinishHydration, rehydrate } = chat.persist
  storage.subscribe((name) => void (name === 'chat-42' && rehydrate())) // by an undo, or another tab
  if (!hasHydrated()) await new Promise<void>((goOn) => void onFinishHydration(() => goOn()))
  return { chat, undo: () => storage.undo('chat-42'), redo: () => storage.redo('chat-42') }
}
