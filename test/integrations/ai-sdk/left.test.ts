import { expect, it } from 'vitest'
import { never, shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }
const WHOLE = 'Lisbon / Let me see.|search:output-available|book:output-available|You fly with TP 1351.'

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

/** Pages behind one that went in the middle of the first step of an answer. */
async function cutOff() {
  const { page } = site()
  const { chat, checkpointer } = await page({ before: (piece) => (piece === 'see.' ? never : undefined) })
  void chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(chat.messages), soon).toContain('Let me ')
  await checkpointer.close()
  return page
}

/** One of them, whose answer nobody wants any more when it begins to go on. */
async function unwanted() {
  const page = await cutOff()
  const two = await page()
  const leaving = new AbortController()
  const threadOf = two.checkpointer.thread.bind(two.checkpointer)
  two.checkpointer.thread = <State>(...of: Parameters<typeof threadOf>) => {
    const thread = threadOf<State>(...of)
    const run = thread.run.bind(thread)
    thread.run = (options, work) =>
      run(options, (loop) => {
        leaving.abort()
        return work(loop)
      })
    return thread
  }
  return { ...two, page, ask: { chatId: 'c', abortSignal: leaving.signal } }
}

it('a reconnect that is aborted before its answer goes on leaves it to the next', async () => {
  const { transport, thread, ask, page } = await unwanted()
  const stream = await transport.reconnectToStream(ask)
  expect(await stream?.getReader().read()).toMatchObject({ done: true })
  await expect.poll(async () => (await thread.latestRun())?.status, soon).toBe('orphaned')
  const { chat, model } = await page()
  await chat.resumeStream()
  expect([chat.status, shortly(chat.messages)]).toEqual(['ready', WHOLE])
  expect(model.doStreamCalls).toHaveLength(3)
})

it('of what was sent again, and stopped before it goes on, all is kept that there is', async () => {
  const { transport, thread, ask, model } = await unwanted()
  const messages = await transport.loadMessages('c')
  const asked = { ...ask, messages, trigger: 'submit-message', messageId: undefined } as const
  const stream = await transport.sendMessages(asked)
  await stream.pipeTo(new WritableStream())
  expect((await thread.latestRun())?.status).toBe('finished')
  expect(shortly(await transport.loadMessages('c'))).toBe('Lisbon / Let me ')
  expect(model.doStreamCalls).toHaveLength(0)
})

it.each(['stream-start', 'Let '])(
  'of a step that is begun anew, and stopped before its %s, all is kept that there was',
  async (first) => {
    const page = await cutOff()
    let isThere = false
    const { chat, thread, transport } = await page({
      before: (piece) => {
        if (piece !== first) return
        isThere = true
        return never
      },
    })
    void chat.resumeStream()
    await expect.poll(() => isThere, soon).toBe(true)
    await chat.stop()
    await expect.poll(async () => (await thread.latestRun())?.status, soon).toBe('finished')
    expect(shortly(await transport.loadMessages('c'))).toBe('Lisbon / Let me ')
  },
)
