import { DirectChatTransport, tool, ToolLoopAgent, type ChatTransport, type UIMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { resultsIn, scriptedModel } from '../../support/scripted-model.ts'
import { never, shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }

it('calls whose ids are long, and differ at their end alone, are done once each', async () => {
  const booked: string[] = []
  const calls = ['one', 'two'].map((flight) => ({ tool: 'book', input: { flight } }))
  const inner = scriptedModel((prompt) => (resultsIn(prompt) === 0 ? { calls } : { text: ['Booked.'] }))
  // As a gateway that puts a signature into them.
  const lengthen = () =>
    new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform(part, controller) {
        const isCall = part.type === 'tool-call'
        const toolCallId = isCall ? `call-${'x'.repeat(1_500)}-${part.toolCallId}` : ''
        controller.enqueue(isCall ? { ...part, toolCallId } : part)
      },
    })
  const model = new MockLanguageModelV4({
    doStream: async (options) => {
      const { stream } = await inner.doStream(options)
      return { stream: stream.pipeThrough(lengthen()) }
    },
  })
  const { page } = site()
  const open = (hangs: boolean) =>
    page({
      wrapped: (journal) =>
        new DirectChatTransport({
          agent: new ToolLoopAgent({
            model,
            tools: journal.tools({
              book: tool({
                inputSchema: z.object({ flight: z.string() }),
                execute: async ({ flight }) => {
                  booked.push(flight)
                  return hangs && flight === 'two' ? never : `${flight} is booked`
                },
              }),
            }),
          }),
        }) as ChatTransport<UIMessage>,
    })
  const one = await open(true)
  void one.chat.sendMessage({ text: 'Two' })
  await expect
    .poll(() => shortly(one.chat.messages), soon)
    .toContain('book:output-available|book:input-available')
  await one.checkpointer.close()

  const two = await open(false)
  await two.chat.resumeStream()
  expect(booked).toEqual(['one', 'two'])
  expect(shortly(two.chat.messages)).toBe('Two / book:output-available|book:output-error|Booked.')
})
