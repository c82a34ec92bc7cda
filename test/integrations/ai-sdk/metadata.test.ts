import { DirectChatTransport, tool, ToolLoopAgent, type ChatTransport, type UIMessage } from 'ai'
import type { Journal } from 'forkpoint/ai-sdk'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { resultsIn, scriptedModel } from '../../support/scripted-model.ts'
import { never, site } from './ground.ts'

/** What a step has used is told to the message, as the SDK has it; and to `onStepEnd`. */
function measured(seen: number[], isCut: boolean) {
  let steps = 0
  return (journal: Journal): ChatTransport<UIMessage> =>
    new DirectChatTransport({
      agent: new ToolLoopAgent({
        model: scriptedModel(
          (prompt) =>
            resultsIn(prompt) === 0 ? { calls: [{ tool: 'look', input: {} }] } : { text: ['It ', 'is.'] },
          (piece) => (isCut && piece === 'is.' ? never : undefined),
        ),
        tools: journal.tools({ look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }),
        onStepEnd: ({ usage }) => void seen.push(usage.totalTokens ?? 0),
      }),
      messageMetadata: ({ part }) =>
        part.type === 'finish-step'
          ? { used: { [`step ${++steps}`]: [part.usage.totalTokens, part.finishReason] } }
          : undefined,
    }) as ChatTransport<UIMessage>
}

it('what a step has used is in its checkpoint as metadata of the message, and onStepEnd stays the caller’s', async () => {
  const { page } = site()
  const seen: number[] = []
  const one = await page({ wrapped: measured(seen, true) })
  void one.chat.sendMessage({ text: 'Look' })
  const first = { used: { 'step 1': [2, 'tool-calls'] } }
  await expect
    .poll(async () => (await one.transport.loadMessages('c')).at(-1)?.metadata, { timeout: 10_000 })
    .toEqual(first)
  await one.checkpointer.close()
  const two = await page({ wrapped: measured(seen, false) })
  expect(two.chat.messages.at(-1)?.metadata).toEqual(first)
  await two.chat.resumeStream()
  expect(two.chat.messages.at(-1)?.metadata).toEqual({ used: { 'step 1': [2, 'stop'] } })
  expect(seen).toEqual([2, 2])
})
