import {
  MessagePrimitive,
  ThreadPrimitive,
  useAui,
  useAuiState,
  type AssistantClient,
  type ChatModelAdapter,
} from '@assistant-ui/react'
import { createElement } from 'react'

/** How a test gets at the chat: what its model was asked, and what its tools have really done. */
export const chat: { client?: AssistantClient; asked: string[]; done: string[] } = { asked: [], done: [] }

/** Says what it was asked, word by word; asked to wait it does not end, the first time. */
export const model: ChatModelAdapter = {
  async *run({ messages }) {
    const last = messages.at(-1)?.content[0]
    const said = last?.type === 'text' ? last.text : ''
    chat.asked.push(said)
    const words = `${messages.length}: you said ${said}`.split(' ')
    for (let i = 1; i <= words.length; i++) {
      yield { content: [{ type: 'text', text: words.slice(0, i).join(' ') }] }
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    const hasWaited = sessionStorage.getItem('waited') !== null
    if (said !== 'wait' || hasWaited) return
    sessionStorage.setItem('waited', 'yes')
    await new Promise(() => {})
  },
}

function Message() {
  const branches = useAuiState(({ message }) => `${message.branchNumber}/${message.branchCount} `)
  return createElement(MessagePrimitive.Root, null, branches, createElement(MessagePrimitive.Parts))
}

/** Stands for yours. */
export function Thread() {
  chat.client = useAui()
  const isRunning = useAuiState(({ thread }) => thread.isRunning || thread.isLoading)
  const messages = createElement(ThreadPrimitive.Messages, { children: () => createElement(Message) })
  return createElement(ThreadPrimitive.Root, { id: isRunning ? 'busy' : 'idle' }, messages)
}
