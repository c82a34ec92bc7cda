import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Asked {
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly messages: readonly {
      readonly role: string
      readonly content: string
      readonly tool_call_id?: string
      readonly tool_calls?: readonly { readonly id: string }[]
    }[]
    readonly tools: readonly { readonly function: { readonly name: string } }[]
  }
}

/** Answers one request; `nth` counts them from 1. */
export type Reply = (asked: Asked, response: ServerResponse, nth: number) => void | Promise<void>

export interface ModelServer {
  readonly url: string
  readonly port: number
  readonly asked: readonly Asked[]
  /** How often it will answer 503 from now on. */
  fail(times: number): void
  close(): Promise<void>
}

/** Speaks the chat completions of OpenAI over a socket, as Ollama and others do. */
export async function serveModel(reply: Reply = calculates): Promise<ModelServer> {
  const asked: Asked[] = []
  let failures = 0
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'content-type, authorization')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Asked['body']
      const now = { authorization: request.headers.authorization, body }
      asked.push(now)
      if (failures-- > 0) return void response.writeHead(503).end('The model is being loaded')
      response.setHeader('content-type', 'text/event-stream')
      void reply(now, response, asked.length)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    asked,
    fail(times) {
      failures = times
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What is said in words, a piece each. */
export const words = (text: string): readonly object[] => text.split(/(?<= )/).map((content) => ({ content }))

/** Sends these, and no more than that. */
export function send(response: ServerResponse, deltas: readonly object[], finish?: string): void {
  for (const delta of deltas) write(response, { choices: [{ delta }] })
  if (finish !== undefined) write(response, { choices: [{ delta: {}, finish_reason: finish }] })
}

export const write = (response: ServerResponse, data: object): void =>
  void response.write(`data: ${JSON.stringify(data)}\n\n`)

/** Says a whole answer. */
export function say(response: ServerResponse, text: string): void {
  send(response, words(text), 'stop')
  response.end('data: [DONE]\n\n')
}

/** Calls the calculator first, then says what it has got, in pieces that are cut where no event ends. */
function calculates({ body: { messages } }: Asked, response: ServerResponse): void {
  const last = messages.at(-1)
  const deltas = last?.role === 'tool' ? words(`So it is ${last.content}.`) : calls
  const text = [...deltas.map((delta) => JSON.stringify({ choices: [{ delta }] })), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('')
  for (let at = 0; at < text.length; at += 37) response.write(text.slice(at, at + 37))
  response.end()
}

const calls = [
  { content: 'Let me see. ' },
  { tool_calls: [{ index: 0, id: 'one', function: { name: 'calculator', arguments: '{"expre' } }] },
  { tool_calls: [{ index: 0, function: { arguments: 'ssion": "6 * 7"}' } }] },
]
