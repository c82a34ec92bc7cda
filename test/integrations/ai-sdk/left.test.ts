import { expect, it } from 'vitest'
import { shortly, site } from './ground.ts'

// As under StrictMode: a chat reconnects, is taken away at once, and reconnects again.
it('a reconnect that is aborted while it is looked who has the chat hears of nothing more', async () => {
  const pages = site()
  let go: () => void = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const one = await pages.page({ before: (piece) => (piece === 'me ' ? gate : undefined) })
  const sending = one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), { timeout: 10_000 }).toContain('Let ')
  const { checkpointer, transport } = await pages.page()
  const heard = new Set<object>()
  const subscribe = checkpointer.subscribe.bind(checkpointer)
  checkpointer.subscribe = (listener) => {
    const leave = subscribe(listener)
    heard.add(leave)
    return () => {
      heard.delete(leave)
      leave()
    }
  }
  const leaving = new AbortController()
  const { signal: abortSignal } = leaving
  const reconnecting = transport.reconnectToStream({ chatId: 'c', abortSignal })
  setTimeout(() => leaving.abort(), 20)
  const stream = await reconnecting
  expect(await stream?.getReader().read()).toMatchObject({ done: true })
  expect(heard.size).toBe(0)
  go()
  await sending
})
