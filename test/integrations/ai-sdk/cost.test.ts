import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'
import { openCheckpointer } from 'forkpoint'
import { ForkpointTransport } from 'forkpoint/ai-sdk'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'
import { countingStorage } from '../../bench/counting-storage.ts'

const LONG = 1_000

/** A thousand words, one a millisecond. */
function* answer(): Generator<UIMessageChunk, undefined> {
  yield { type: 'start', messageId: 'a' }
  yield { type: 'start-step' }
  yield { type: 'text-start', id: 't' }
  for (let i = 0; i < LONG; i++) yield { type: 'text-delta', id: 't', delta: `word${i} ` }
  yield { type: 'text-end', id: 't' }
  yield { type: 'finish-step' }
  yield { type: 'finish' }
}

const talks: ChatTransport<UIMessage> = {
  sendMessages: async () => {
    const chunks = answer()
    return new ReadableStream<UIMessageChunk>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        const { value } = chunks.next()
        if (value) controller.enqueue(value)
        else controller.close()
      },
    })
  },
  reconnectToStream: async () => null,
}

it('a stream of a thousand chunks costs a transaction every 50 ms, and ten for all else', async () => {
  const { storage, counts } = countingStorage(memoryStorage())
  const checkpointer = await openCheckpointer({ name: 'cost', storage })
  onTestFinished(() => checkpointer.close())
  const transport = new ForkpointTransport({ checkpointer, transport: talks })
  const messages: UIMessage[] = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Talk' }] }]
  const before = { ...counts }
  const start = performance.now()
  const stream = await transport.sendMessages({
    chatId: 'c',
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
    messages,
  })
  let passed = 0
  for (const reader = stream.getReader(); !(await reader.read()).done;) passed++
  const took = performance.now() - start
  expect(passed).toBe(LONG + 6)
  expect(counts.commits - before.commits).toBeLessThanOrEqual(10 + took / 50)
  // The answer is there twice for a while: as its chunks, and as the message that they make.
  const [, said] = await transport.loadMessages('c')
  const size = JSON.stringify([...answer()]).length + 2 * JSON.stringify(said).length
  expect(counts.bytesPut - before.bytesPut).toBeLessThan(1.5 * size)
})
