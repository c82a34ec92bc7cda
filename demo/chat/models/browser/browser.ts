/** The model that some browsers bring along, by their Prompt API. It is told of the tools in words. */
import type { Call, Message } from '../../agent/chat.ts'
import type { Piece } from '../../agent/draft.ts'
import type { Tool } from '../../tools/tool.ts'
import { ModelError, type Model } from '../model.ts'
import { systemPrompt } from '../system-prompt.ts'
import { languages, promptApi, type Prompt } from './prompt-api.ts'

export function browserModel(api = promptApi()): Model {
  return {
    name: 'Browser’s model',
    canContinue: false,
    async *answer({ chat, tools, signal }) {
      if (!api) throw new ModelError('This browser has no model of its own.')
      const session = await api.create({
        ...languages,
        initialPrompts: [{ role: 'system', content: rules(tools) }],
        signal,
      })
      try {
        yield* readAnswer(
          textsOf(session.promptStreaming(chat.messages.map(promptOf), { signal })),
          chat.messages.length,
        )
      } finally {
        session.destroy()
      }
    },
  }
}

/** An answer that begins with a brace is a call; anything else is passed on as it comes. */
async function* readAnswer(texts: AsyncIterable<string>, count: number): AsyncGenerator<Piece> {
  let held = ''
  let isText = false
  for await (const text of texts) {
    held += text
    isText ||= /^\s*[^\s{]/.test(held)
    if (!isText) continue
    yield { text: held }
    held = ''
  }
  if (held.trim() === '') return
  const call = callIn(held)
  yield call ? { call: { id: `call-${count}`, ...call } } : { text: held }
}

function callIn(text: string): Omit<Call, 'id'> | undefined {
  try {
    const { tool, input } = JSON.parse(text) as { readonly tool?: unknown; readonly input?: unknown }
    if (typeof tool !== 'string' || typeof input !== 'object' || input === null) return undefined
    return { tool, input: input as Call['input'] }
  } catch {
    return undefined
  }
}

const rules = (tools: readonly Tool[]): string =>
  `${systemPrompt}
To use a tool, answer with nothing but one line of JSON: {"tool": "name", "input": {…}}. You are then told what came of it. The tools:
${tools.map(({ name, description, parameters }) => `- ${name}: ${description} Input: ${JSON.stringify(parameters)}`).join('\n')}`

function promptOf(message: Message): Prompt {
  if (message.role === 'user') return { role: 'user', content: message.text }
  if (message.role === 'tool')
    return { role: 'user', content: `The tool ${message.tool} gave: ${message.text}` }
  const [call] = message.calls ?? []
  return {
    role: 'assistant',
    content: call ? JSON.stringify({ tool: call.tool, input: call.input }) : message.text,
  }
}

async function* textsOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
