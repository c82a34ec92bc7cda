import {
  WebSocketChatTransport,
  type UIMessage,
  type UIMessageChunk,
  type WebSocketChatTransportRequest,
} from 'ai'
import { expect, it, onTestFinished } from 'vitest'
import { socketServer, type Peer } from '../../support/socket-server.ts'
import { shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }

const answer: readonly UIMessageChunk[] = [
  { type: 'start', messageId: 'answer' },
  { type: 'start-step' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'All ' },
  { type: 'text-delta', id: 't', delta: 'of it' },
  { type: 'text-end', id: 't' },
  { type: 'finish-step' },
  { type: 'finish' },
]

/** A server that answers; `cut`: not to the end, until it is asked for the rest. */
async function server(cut = false) {
  const asked: string[] = []
  const closed: number[] = []
  const text = (json: string, peer: Peer): void => {
    const { type, requestId } = JSON.parse(json) as WebSocketChatTransportRequest
    asked.push(type)
    if (type === 'abort') return
    const isWhole = !cut || type === 'resume'
    for (const [sequence, chunk] of (isWhole ? answer : answer.slice(0, 4)).entries())
      peer.send(JSON.stringify({ type: 'chunk', requestId, sequence, chunk }))
    if (isWhole) peer.send(JSON.stringify({ type: 'end', requestId }))
  }
  const { url, end } = await socketServer({ text, closed: (code) => void closed.push(code) })
  onTestFinished(end)
  return { url, asked, closed }
}

it('WebSocketChatTransport: what its server has kept goes on after a reload', async () => {
  const { page } = site()
  const { url, asked } = await server(true)
  const one = await page({ wrapped: new WebSocketChatTransport<UIMessage>({ url }) })
  void one.chat.sendMessage({ text: 'Hello' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('All ')
  await one.checkpointer.close()

  const two = await page({ wrapped: new WebSocketChatTransport<UIMessage>({ url }) })
  await two.chat.resumeStream()
  expect(shortly(two.chat.messages)).toBe('Hello / All of it')
  expect(shortly(await two.transport.loadMessages('c'))).toBe('Hello / All of it')
  expect(asked.filter((type) => type !== 'abort')).toEqual(['send', 'resume'])
})

it('a chat that is disposed of closes the transport that is wrapped', async () => {
  const { page } = site()
  const { url, closed } = await server()
  const { chat } = await page({ wrapped: new WebSocketChatTransport<UIMessage>({ url }) })
  await chat.sendMessage({ text: 'Hello' })
  await chat.dispose()
  await expect.poll(() => closed, soon).toEqual([1000])
})

it('and those that were made for its answers, of which each may be used again', async () => {
  const { page } = site()
  const { url, closed } = await server()
  const shared = new WebSocketChatTransport<UIMessage>({ url })
  let made = 0
  const { chat } = await page({
    wrapped: () => (made++ < 2 ? shared : new WebSocketChatTransport<UIMessage>({ url })),
  })
  for (const text of ['one', 'two', 'three']) await chat.sendMessage({ text })
  await chat.dispose()
  await expect.poll(() => closed, soon).toEqual([1000, 1000])
  await chat.regenerate()
  expect(chat.status).toBe('ready')
})

it('one that has nothing to close is left as it is', async () => {
  const { page } = site()
  const { chat } = await page()
  await chat.dispose()
  expect(chat.status).toBe('ready')
})
