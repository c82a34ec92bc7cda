import { isToolUIPart, type UIMessage, type UIMessageChunk } from 'ai'
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
