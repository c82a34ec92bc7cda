import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  DefaultChatTransport,
  JsonToSseTransformStream,
  TextStreamChatTransport,
  UI_MESSAGE_STREAM_HEADERS,
  type UIMessageChunk,
} from 'ai'
import { expect, it, onTestFinished } from 'vitest'
import { shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }

const answer = (messageId: string): UIMessageChunk[] => [
  { type: 'start', messageId },
  { type: 'start-step' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'All ' },
  { type: 'text-delta', id: 't', delta: 'of ' },
  { type: 'text-delta', id: 't', delta: 'it' },
  { type: 'text-end', id: 't' },
  { type: 'finish-step' },
  { type: 'finish' },
]
const words = ['All ', 'of ', 'it']

/** A server that answers by the protocol of the AI SDK, or in plain text; the first time it says no more half-way. */
async function server(keeps: boolean) {
  let isCut = true
  const asked: string[] = []
  const say = async (response: ServerResponse, isText: boolean, from: 'POST' | 'GET'): Promise<void> => {
    const isWhole = from === 'GET' || !isCut
    isCut = false
    response.writeHead(200, isText ? { 'content-type': 'text/plain' } : UI_MESSAGE_STREAM_HEADERS)
    const chunks = new ReadableStream<UIMessageChunk>({
      start(controller) {
        for (const chunk of answer(`answer-${asked.length}`).slice(0, isWhole ? 9 : 4))
          controller.enqueue(chunk)
        if (isWhole) controller.close()
      },
    }).pipeThrough(new JsonToSseTransformStream())
    if (isText) for (const word of isWhole ? words : words.slice(0, 1)) response.write(word)
    else for await (const line of chunks) response.write(line)
    if (isWhole) response.end()
  }
  const http = createServer((request, response) => {
    const { method = '', url = '' } = request
    asked.push(`${method} ${url}`)
    if (method === 'GET' && !keeps) response.writeHead(204).end()
    else void say(response, url.startsWith('/text'), method as 'GET')
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked }
}

it('DefaultChatTransport: what its server has kept goes on after a reload', async () => {
  const { page } = site()
  const { origin, asked } = await server(true)
  const wrapped = new DefaultChatTransport({ api: `${origin}/chat` })
  const one = await page({ wrapped })
  void one.chat.sendMessage({ text: 'Hello' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('All ')
  await one.checkpointer.close()

  const two = await page({ wrapped })
  await two.chat.resumeStream()
  expect(shortly(two.chat.messages)).toBe('Hello / All of it')
  expect(shortly(await two.transport.loadMessages('c'))).toBe('Hello / All of it')
  expect(asked).toEqual(['POST /chat', 'GET /chat/c/stream'])
})

it.each([
  ['DefaultChatTransport', 'chat', DefaultChatTransport],
  ['TextStreamChatTransport', 'text', TextStreamChatTransport],
] as const)(
  '%s: what its server has not kept stays as far as it came, and is asked for again by the user',
  async (_name, path, Transport) => {
    const { page } = site()
    const { origin, asked } = await server(false)
    const wrapped = new Transport({ api: `${origin}/${path}` })
    const one = await page({ wrapped })
    void one.chat.sendMessage({ text: 'Hello' })
    await expect.poll(() => shortly(one.chat.messages), soon).toContain('All ')
    await one.checkpointer.close()

    const two = await page({ wrapped })
    await two.chat.resumeStream()
    expect(shortly(two.chat.messages)).toBe('Hello / All ')
    expect(two.chat.error).toMatchObject({ code: 'UNSUPPORTED' })
    await two.chat.regenerate()
    expect(two.chat.status).toBe('ready')
    expect(shortly(await two.transport.loadMessages('c'))).toBe('Hello / All of it')
    expect(asked.filter((each) => each.startsWith('POST'))).toHaveLength(2)

    await two.chat.regenerate()
    const branches = await two.transport.branches('c', two.chat.messages.at(-1)?.id ?? '')
    expect(branches.map(({ isCurrent }) => isCurrent)).toEqual([false, true])
  },
)
