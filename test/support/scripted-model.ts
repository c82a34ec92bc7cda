import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** What a model says: pieces of a text, and then calls of tools. */
export interface Turn {
  readonly text?: readonly string[]
  readonly calls?: readonly { readonly tool: string; readonly input: object }[]
}

/** Says what the script has for this prompt; `before` each piece may wait, or throw. */
export function scriptedModel(
  script: (prompt: LanguageModelV4Prompt) => Turn,
  before: (piece: string) => void | Promise<void> = () => {},
): MockLanguageModelV4 {
  let count = 0
  const doStream: LanguageModelV4['doStream'] = async ({ prompt, abortSignal }) => {
    const parts = partsOf(script(prompt), `${Date.now()}-${++count}`)
    return {
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        async pull(controller) {
          const { value: part } = parts.next()
          if (part === undefined) return controller.close()
          await before(part.type === 'text-delta' ? part.delta : part.type)
          if (abortSignal?.aborted) return controller.error(abortSignal.reason)
          controller.enqueue(part)
        },
      }),
    }
  }
  return new MockLanguageModelV4({ doStream })
}

/** Ids are never the same twice, as a real model's. */
function* partsOf(
  { text = [], calls = [] }: Turn,
  id: string,
): Generator<LanguageModelV4StreamPart, undefined> {
  yield { type: 'stream-start', warnings: [] }
  if (text.length > 0) yield { type: 'text-start', id }
  for (const delta of text) yield { type: 'text-delta', id, delta }
  if (text.length > 0) yield { type: 'text-end', id }
  for (const [index, { tool, input }] of calls.entries())
    yield {
      type: 'tool-call',
      toolCallId: `${id}-${index}`,
      toolName: tool,
      input: JSON.stringify(input),
    }
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  yield { type: 'finish', usage, finishReason: { unified, raw: undefined } }
}

/** How many results of tools there are since the user's last word. */
export const resultsIn = (prompt: LanguageModelV4Prompt): number =>
  prompt
    .slice(prompt.findLastIndex(({ role }) => role === 'user'))
    .flatMap(({ role, content }) =>
      role === 'tool' ? content.filter(({ type }) => type === 'tool-result') : [],
    ).length

/** A trip: two tools, one after the other, and a word on it. */
export const trip = (prompt: LanguageModelV4Prompt): Turn => {
  const results = resultsIn(prompt)
  if (results === 0)
    return { text: ['Let ', 'me ', 'see.'], calls: [{ tool: 'search', input: { city: 'Lisbon' } }] }
  if (results === 1) return { calls: [{ tool: 'book', input: { flight: 'TP 1351' } }] }
  return { text: ['You ', 'fly ', 'with ', 'TP 1351.'] }
}
