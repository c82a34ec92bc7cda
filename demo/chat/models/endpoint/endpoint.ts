/** Any server that speaks the chat completions of OpenAI: Ollama, LM Studio, a hosted one. */
import { ModelError, type Model, type ModelRequest } from '../model.ts'
import { systemPrompt } from '../system-prompt.ts'
import { BLOCKED, isBlocked } from './reach.ts'
import { readAnswer } from './read-answer.ts'
import { wireMessages } from './wire-messages.ts'

export interface EndpointOptions {
  readonly url: string
  readonly model: string
  readonly key: string
}

export const endpoint = (options: EndpointOptions): Model => ({
  name: options.model,
  canContinue: false,
  async *answer(request) {
    const response = await ask(options, request)
    const { signal, chat } = request
    yield* readAnswer(response, { host: hostOf(options.url), signal, place: chat.messages.length })
  },
})

async function ask(
  { url, model, key }: EndpointOptions,
  { chat, tools, signal }: ModelRequest,
): Promise<Response> {
  const address = `${url.replace(/\/+$/, '')}/chat/completions`
  const body = {
    model,
    stream: true,
    messages: [{ role: 'system', content: systemPrompt }, ...wireMessages(chat.messages)],
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
  }
  let response: Response
  try {
    response = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal,
    })
  } catch (cause) {
    signal.throwIfAborted()
    const why = isBlocked(url) ? BLOCKED : 'Is it running, and does it allow this page (CORS)?'
    throw new ModelError(`${hostOf(url)} could not be reached. ${why}`, { cause })
  }
  if (response.ok) return response
  const said = (await response.text().catch(() => '')).trim().slice(0, 300)
  throw new ModelError(`${hostOf(url)} answered ${response.status} ${response.statusText}. ${said}`.trim())
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : `'${url}'`)
