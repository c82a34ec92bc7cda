import type { Message } from '../../agent/chat.ts'

/** The conversation as the endpoint takes it. */
export const wireMessages = (messages: readonly Message[]): object[] =>
  messages.map((message) => {
    if (message.role === 'user') return { role: 'user', content: message.text }
    if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call, content: message.text }
    const calls = message.calls?.map(({ id, tool, input }) => ({
      id,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(input) },
    }))
    return { role: 'assistant', content: message.text, ...(calls ? { tool_calls: calls } : {}) }
  })
