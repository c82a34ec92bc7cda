import {
  DirectChatTransport,
  ToolLoopAgent,
  tool,
  type ChatTransport,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { listOf } from '../../../src/testing/checkpointer/ground.ts'
import { scriptedModel } from '../../support/scripted-model.ts'
import { never, shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }

const chunks: readonly UIMessageChunk[] = [
  { type: 'start', messageId: 'answer' },
  { type: 'start-step' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'All ' },
  { type: 'text-delta', id: 't', delta: 'of it' },
  { type: 'text-end', id: 't' },
  { type: 'finish-step' },
  { type: 'finish' },
]

/** A server far away. `hangsAt`: no more comes from there on. */
function far({
  hangsAt = 99,
  keeps = false,
  steps = true,
  seen = [] as object[],
} = {}): ChatTransport<UIMessage> {
  const given = chunks.filter(({ type }) => steps || !type.endsWith('-step'))
  const stream = (until: number) => {
    let at = 0
    return new ReadableStream<UIMessageChunk>({
      async pull(controller) {
        if (at === until) await never
        const chunk = given[at++]
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
    })
  }
  return {
    resumeStreamIsReplay: true,
    sendMessages: async (options) => {
      seen.push(options)
      return stream(hangsAt)
    },
    reconnectToStream: async () => (keeps ? stream(99) : null),
  }
}

it('what a server has not kept is not asked for again, and that is said; until somebody wants it', async () => {
  const { page } = site()
  const seen: object[] = []
  const one = await page({ wrapped: far({ hangsAt: 4, seen }) })
  void one.chat.sendMessage({ text: 'Hello' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('All ')
  await one.checkpointer.close()

  const two = await page({ wrapped: far({ seen }) })
  await two.chat.resumeStream()
  expect(shortly(two.chat.messages)).toBe('Hello / All ')
  expect(two.chat.error).toMatchObject({ code: 'UNSUPPORTED' })
  expect(seen).toHaveLength(1)
  await two.chat.sendMessage()
  expect(seen).toHaveLength(2)
  expect(two.chat.status).toBe('ready')
  expect(shortly(two.chat.messages)).toBe('Hello / All of it')
  expect(shortly(await two.transport.loadMessages('c'))).toBe('Hello / All of it')
})

it.each([true, false])('what a server has kept is taken from there (told in steps: %s)', async (steps) => {
  const { page } = site()
  const one = await page({ wrapped: far({ hangsAt: steps ? 4 : 3, steps }) })
  void one.chat.sendMessage({ text: 'Hello' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('All ')
  await one.checkpointer.close()

  const seen: object[] = []
  const two = await page({ wrapped: far({ keeps: true, seen, steps }) })
  await two.chat.resumeStream()
  expect(two.chat.status).toBe('ready')
  expect(shortly(two.chat.messages)).toBe('Hello / All of it')
  expect(shortly(await two.transport.loadMessages('c'))).toBe('Hello / All of it')
  expect(seen).toEqual([])
  expect(await two.transport.reconnectToStream({ chatId: 'c' })).toBeNull()
})

it('headers, bodies and metadata of a request reach the transport, and are not stored', async () => {
  const { page } = site()
  const seen: object[] = []
  const { chat, checkpointer } = await page({ wrapped: far({ seen }) })
  const secret = 'sk-12345'
  await chat.sendMessage(
    { text: 'Hello' },
    { headers: { authorization: secret }, body: { key: secret }, metadata: { key: secret } },
  )
  expect(seen).toMatchObject([
    { headers: { authorization: secret }, body: { key: secret }, metadata: { key: secret } },
  ])
  const pieces = await listOf(checkpointer.export())
  const stored = pieces.map((piece) => new TextDecoder().decode(piece)).join('')
  expect(stored).toContain('Hello')
  expect(stored).not.toContain(secret)
})

it('tools that are not journaled are not used again either, and what became of them is not known', async () => {
  const { page } = site()
  const used: string[] = []
  const direct = (hangs: boolean): ChatTransport<UIMessage> =>
    new DirectChatTransport({
      agent: new ToolLoopAgent({
        model: scriptedModel((prompt) =>
          prompt.some(({ role }) => role === 'tool')
            ? { text: ['Well.'] }
            : { calls: [{ tool: 'pay', input: {} }] },
        ),
        tools: {
          pay: tool({
            inputSchema: z.object({}),
            execute: () => {
              used.push('pay')
              return hangs ? never : 'paid'
            },
          }),
        },
      }),
    }) as ChatTransport<UIMessage>
  const one = await page({ wrapped: direct(true) })
  void one.chat.sendMessage({ text: 'Pay' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('pay:input-available')
  await one.checkpointer.flush()
  await one.checkpointer.close()
  const two = await page({ wrapped: direct(false) })
  await two.chat.resumeStream()
  expect(used).toEqual(['pay'])
  expect(shortly(two.chat.messages)).toBe('Pay / pay:output-error|Well.')
})

it('refuses what it cannot work with', async () => {
  const { page } = site()
  await expect(page({ whenCut: 'ask' as never })).rejects.toMatchObject({ code: 'INVALID', path: 'whenCut' })
  const { thread, transport } = await page()
  await thread.save({ notes: 'mine' } as never)
  await expect(transport.loadMessages('c')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})
