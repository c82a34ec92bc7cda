import { createStore } from 'zustand/vanilla' // `create` of `zustand` takes the same

interface Chat {
  messages: string[]
  say(text: string): void
}

/** What a page does when it is loaded, and loaded again. */
export async function page() {
  const chat = createStore<Chat>()((set) => ({
    messages: [],
    say: (text) => set(({ messages }) => ({ messages: [...messages, text] })),
  }))
  return { chat }
}
