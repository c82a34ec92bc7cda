import type { ThreadAssistantMessage, ThreadMessage } from '@assistant-ui/react'

const createdAt = new Date(2026, 1, 1)

export const userMessage = (id: string, text = id): ThreadMessage => ({
  id,
  role: 'user',
  createdAt,
  content: [{ type: 'text', text }],
  attachments: [],
  metadata: { custom: {} },
})

export const assistantMessage = (id: string, text = id): ThreadAssistantMessage => ({
  id,
  role: 'assistant',
  createdAt,
  content: [{ type: 'text', text }],
  status: { type: 'complete', reason: 'stop' },
  metadata: { unstable_state: null, unstable_annotations: [], unstable_data: [], steps: [], custom: {} },
})
