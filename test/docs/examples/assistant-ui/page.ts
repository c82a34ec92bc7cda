import { AssistantRuntimeProvider, useLocalRuntime } from '@assistant-ui/react'
import { openCheckpointer } from 'forkpoint'
import { ForkpointHistory } from 'forkpoint/assistant-ui'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { model, Thread } from './chat.ts' // yours

const checkpointer = await openCheckpointer({ name: 'my-chat' })
const history = new ForkpointHistory(checkpointer, 'chat', { model })

function App() {
  const runtime = useLocalRuntime(history.model, { adapters: { history } })
  return createElement(AssistantRuntimeProvider, { runtime }, createElement(Thread))
}

createRoot(document.getElementById('root') ?? document.body).render(createElement(App))
