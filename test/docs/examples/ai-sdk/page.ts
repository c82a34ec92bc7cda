import { useChat } from '@ai-sdk/react'
import { DirectChatTransport, ToolLoopAgent } from 'ai'
import { openCheckpointer } from 'forkpoint'
import { ForkpointTransport } from 'forkpoint/ai-sdk'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import { model, tools } from './agent.ts' // yours: they run in the page

const checkpointer = await openCheckpointer({ name: 'my-chat' })
const transport = new ForkpointTransport({
  checkpointer,
  transport: (journal) =>
    new DirectChatTransport({ agent: new ToolLoopAgent({ model, tools: journal.tools(tools) }) }),
})
const messages = await transport.loadMessages('trip')

function Trip() {
  const chat = useChat({ id: 'trip', transport, messages, resume: true })
  const parts = chat.messages.flatMap((message) => message.parts)
  const ask = () => chat.sendMessage({ text: 'Book me a flight to Lisbon.' })
  return [
    ...parts.map((part, key) => h('p', { key }, part.type === 'text' ? part.text : part.type)),
    h('button', { key: 'ask', onClick: ask }, 'Ask'),
    h('button', { key: 'again', onClick: () => chat.regenerate() }, 'Again'),
    h('output', { key: 'status' }, chat.error?.message ?? chat.status),
  ]
}
createRoot(document.querySelector('#root') ?? document.body).render(h(Trip))
