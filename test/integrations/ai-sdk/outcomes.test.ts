import type { UIMessage, UIMessageChunk } from 'ai'
import { expect, it } from 'vitest'
import { shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }

/** A server whose log is full behind the first step, which calls for something of the page. */
function fullServer(...asking: readonly UIMessageChunk[]) {
  const asked: string[] = []
  const first: UIMessageChunk[] = [
    { type: 'start', messageId: 'answer' },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 'call', toolName: 'ask', input: {} },
    ...asking,
    { type: 'finish-step' },
    { type: 'error', errorText: 'the log is full' },
  ]
  const then: UIMessageChunk[] = [
    { type: 'start' },
    { type: 'start-step' },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Thanks.' },
    { type: 'text-end', id: '1' },
    { type: 'finish-step' },
    { type: 'finish' },
  ]
  const wrapped = {
    reconnectToStream: async () => null,
    async sendMessages({ messages }: { messages: UIMessage[] }) {
      const chunks = asked.length === 0 ? first : then
      asked.push(shortly(messages))
      return new ReadableStream<UIMessageChunk>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk)
          controller.close()
        },
      })
    },
  }
  return { asked, wrapped }
}

it('what the page gives a call of an answer that has failed goes with it', async () => {
  const { asked, wrapped } = fullServer()
  const { chat, transport } = await site().page({ wrapped, onError: () => {} })
  await chat.sendMessage({ text: 'Lisbon' })
  expect(chat.error?.message).toBe('the log is full')
  await chat.addToolOutput({ tool: 'ask', toolCallId: 'call', output: 'yes' } as never)
  await chat.sendMessage()
  expect(asked).toEqual(['Lisbon', 'Lisbon / ask:output-available'])
  expect(shortly(chat.messages)).toBe('Lisbon / ask:output-available|Thanks.')
  expect(shortly(await transport.loadMessages('c'))).toBe(shortly(chat.messages))
})

it('so does an approval', async () => {
  const { asked, wrapped } = fullServer({
    type: 'tool-approval-request',
    toolCallId: 'call',
    approvalId: 'approval',
  })
  const { chat, transport } = await site().page({ wrapped, onError: () => {} })
  await chat.sendMessage({ text: 'Lisbon' })
  await chat.addToolApprovalResponse({ id: 'approval', approved: true })
  await chat.sendMessage()
  expect(asked).toEqual(['Lisbon', 'Lisbon / ask:approval-responded'])
  expect(shortly(await transport.loadMessages('c'))).toBe('Lisbon / ask:approval-responded|Thanks.')
})

it('what a tool has come to behind the back of its page, which was stopped, stays known', async () => {
  const { page, booked } = site()
  let finish: () => void = () => {}
  const booking = new Promise<void>((resolve) => (finish = resolve))
  const one = await page({ onBook: () => booking })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => booked.length, soon).toBe(1)
  await one.chat.stop()
  finish()
  const kept = 'Lisbon / Let me see.|search:output-available|book:output-available'
  await expect.poll(async () => shortly(await one.transport.loadMessages('c')), soon).toBe(kept)
  expect(shortly(one.chat.messages)).toMatch(/book:input-available$/)

  for (const text of ['And now?', 'And then?']) {
    await one.chat.sendMessage({ text })
    expect([one.chat.status, one.chat.error]).toEqual(['ready', undefined])
    expect(shortly(await one.transport.loadMessages('c')).startsWith(kept)).toBe(true)
  }
  await one.checkpointer.close()
  const two = await page()
  expect(shortly(two.chat.messages).startsWith(`${kept} / And now? / `)).toBe(true)
})

it('who sends while a tool that was stopped is under way waits for what it comes to', async () => {
  const { page, booked } = site()
  let finish: () => void = () => {}
  const booking = new Promise<void>((resolve) => (finish = resolve))
  const { chat, transport } = await page({ onBook: () => booking })
  void chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => booked.length, soon).toBe(1)
  await chat.stop()
  setTimeout(finish, 300)
  await chat.sendMessage({ text: 'And now?' })
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
  expect(shortly(await transport.loadMessages('c'))).toMatch(
    /^Lisbon \/ Let me see.\|search:output-available\|book:output-available \/ And now\? \/ /,
  )
})

it('nor is it forgotten when the page has not even heard of the call', async () => {
  const { page } = site()
  const { chat, transport } = await page()
  await chat.sendMessage({ text: 'Lisbon' })
  const kept = shortly(chat.messages)
  chat.messages = chat.messages.map((message) => ({ ...message, parts: message.parts.slice(0, 3) }))
  expect(shortly(chat.messages)).not.toContain('book')
  await chat.sendMessage({ text: 'And now?' })
  expect(shortly(await transport.loadMessages('c')).startsWith(`${kept} / And now? / `)).toBe(true)
})
