import { AssistantRuntimeProvider, useLocalRuntime, useRemoteThreadListRuntime } from '@assistant-ui/react'
import { openCheckpointer } from 'forkpoint'
import { ForkpointThreads } from 'forkpoint/assistant-ui'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { model, Thread } from './chat.ts' // yours

const checkpointer = await openCheckpointer({ name: 'my-chats' })
const adapter = new ForkpointThreads(checkpointer, { model })

function App() {
  const runtime = useRemoteThreadListRuntime({ adapter, runtimeHook: () => useLocalRuntime(adapter.model) })
  return createElement(AssistantRuntimeProvider, { runtime }, createElement(Thread))
}

createRoot(document.getElementById('root') ?? document.body).render(createElement(App))
