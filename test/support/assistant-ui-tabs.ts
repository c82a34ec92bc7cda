/** The page with a list of docs/assistant-ui.md, which shows what other tabs do. */
import { AssistantRuntimeProvider, useLocalRuntime, useRemoteThreadListRuntime } from '@assistant-ui/react'
import { openCheckpointer } from 'forkpoint'
import { ForkpointThreads } from 'forkpoint/assistant-ui'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { model, Thread } from '../docs/examples/assistant-ui/chat.ts'
import { followTabs } from '../docs/examples/assistant-ui/tabs.ts'

const checkpointer = await openCheckpointer({ name: 'my-chats' })
const adapter = new ForkpointThreads(checkpointer, { model })

function App() {
  const runtime = useRemoteThreadListRuntime({ adapter, runtimeHook: () => useLocalRuntime(adapter.model) })
  useEffect(() => followTabs(adapter, runtime), [runtime])
  return createElement(AssistantRuntimeProvider, { runtime }, createElement(Thread))
}

createRoot(document.getElementById('root') ?? document.body).render(createElement(App))
