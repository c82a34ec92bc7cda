import { AssistantRuntimeProvider, useRemoteThreadListRuntime } from '@assistant-ui/react'
import { useChatRuntime } from '@assistant-ui/react-ai-sdk'
import { DirectChatTransport, ToolLoopAgent } from 'ai'
import { openCheckpointer } from 'forkpoint'
import { ForkpointTransport } from 'forkpoint/ai-sdk'
import { ForkpointThreads } from 'forkpoint/assistant-ui'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { model, tools } from './agent.ts' // yours: they run in the page
import { Thread } from './chat.ts' // yours

const checkpointer = await openCheckpointer({ name: 'my-agents' })
const adapter = new ForkpointThreads(checkpointer)
const transport = new ForkpointTransport({
  checkpointer,
  placeOf: adapter.placeOf,
  transport: (journal) =>
    new DirectChatTransport({ agent: new ToolLoopAgent({ model, tools: journal.tools(tools) }) }),
})

function App() {
  const runtime = useRemoteThreadListRuntime({ adapter, runtimeHook: () => useChatRuntime({ transport }) })
  return createElement(AssistantRuntimeProvider, { runtime }, createElement(Thread))
}

createRoot(document.getElementById('root') ?? document.body).render(createElement(App))
