import { AssistantRuntimeProvider, useLocalRuntime } from '@assistant-ui/react'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { model, Thread } from './chat.ts' // yours

function App() {
  const runtime = useLocalRuntime(model)
  return createElement(AssistantRuntimeProvider, { runtime }, createElement(Thread))
}

createRoot(document.getElementById('root') ?? document.body).render(createElement(App))
