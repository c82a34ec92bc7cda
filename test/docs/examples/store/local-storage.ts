import { createJSONStorage, persist } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla' // `create` of `zustand` takes the same

interface Chat {
  messages: string[]
  say(text: string): void
}

/** What a page does when it is loaded, and loaded again. */
export async function page() {
  const storage = createJSONStorage(() => localStorage)
  const chat = createStore<Chat>()(
    persist(
      (set) => ({
        messages: [],
        say: (text) => set(({ messages }) => ({ messages: [...messages, text] })),
      }),
      { name: 'chat-42', storage },
    ),
  )
  return { chat }
}
