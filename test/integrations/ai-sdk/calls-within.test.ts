import { DirectChatTransport, tool, ToolLoopAgent, type ChatTransport, type UIMessage } from 'ai'
import type { Journal } from 'forkpoint/ai-sdk'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { resultsIn, scriptedModel } from '../../support/scripted-model.ts'
import { never, shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }
const nothing = z.object({})

/** Says which tool it uses, and then that it is done. */
const uses = (name: string) =>
  scriptedModel((prompt) =>
    resultsIn(prompt) === 0 ? { calls: [{ tool: name, input: {} }] } : { text: [`${name} done`] },
  )

interface Kinds {
  /** What is called within. */
  readonly onPay?: () => unknown
  readonly isOuterJournaled?: boolean
}

/** An agent whose tool asks another agent, which pays. */
const withSubAgent =
  ({ onPay = () => 'paid', isOuterJournaled = true }: Kinds) =>
  (journal: Journal): ChatTransport<UIMessage> => {
    const pay = tool({ inputSchema: nothing, execute: onPay })
    const inner = new ToolLoopAgent({ model: uses('pay'), tools: journal.tools({ pay }) })
    const research = tool({
      inputSchema: nothing,
      execute: async (_input, { abortSignal }) => {
        const said = await inner.stream({ prompt: 'Go', ...(abortSignal ? { abortSignal } : {}) })
        return (await said.steps)
          .map(({ toolResults }) => toolResults.map(({ output }) => output).join())
          .join()
      },
    })
    const tools = isOuterJournaled ? journal.tools({ research }) : { research }
    return new DirectChatTransport({
      agent: new ToolLoopAgent({ model: uses('research'), tools }),
    }) as ChatTransport<UIMessage>
  }

it.each([true, false])(
  'a call that is begun within another is done, without being told of (that one is journaled: %s)',
  async (isOuterJournaled) => {
    const { page } = site()
    const paid: string[] = []
    const { chat, transport } = await page({
      wrapped: withSubAgent({ onPay: () => paid.push('paid') && 'paid', isOuterJournaled }),
    })
    await chat.sendMessage({ text: 'Hello' })
    expect(shortly(chat.messages)).toBe('Hello / research:output-available|research done')
    expect(paid).toEqual(['paid'])
    expect(JSON.stringify(await transport.loadMessages('c'))).toContain('"output":"paid,"')
  },
)

it('of one that was under way when its page went the outer call says that nobody knows, and neither is repeated', async () => {
  const { page } = site()
  const paid: string[] = []
  const hangs = withSubAgent({ onPay: () => paid.push('paid') && never })
  const one = await page({ wrapped: hangs })
  void one.chat.sendMessage({ text: 'Hello' })
  await expect.poll(() => paid.length, soon).toBe(1)
  await one.checkpointer.close()

  const two = await page({ wrapped: withSubAgent({ onPay: () => paid.push('again') && 'paid' }) })
  await two.chat.resumeStream()
  expect([two.chat.status, two.chat.error]).toEqual(['ready', undefined])
  expect(shortly(two.chat.messages)).toBe('Hello / research:output-error|research done')
  expect(paid).toEqual(['paid'])
})

/** Uses a tool, and never says so. */
const silent =
  (outcomes: unknown[], repeatable: readonly 'pay'[] = []) =>
  (journal: Journal): ChatTransport<UIMessage> => {
    const { pay } = journal.tools(
      { pay: tool({ inputSchema: nothing, execute: () => outcomes.push('paid') && 'paid' }) },
      { repeatable },
    )
    return {
      reconnectToStream: async () => null,
      sendMessages: async () =>
        new ReadableStream({
          async start(controller) {
            controller.enqueue({ type: 'start-step' })
            controller.enqueue({ type: 'text-start', id: 't' })
            controller.enqueue({ type: 'text-delta', id: 't', delta: 'Hm' })
            try {
              await pay.execute?.({}, { toolCallId: 'x', messages: [], context: undefined as never })
            } catch (error) {
              outcomes.push(error)
            }
            controller.enqueue({ type: 'finish-step' })
            controller.close()
          },
        }),
    }
  }

it('a call that its stream does not tell of is refused after a while, and one of a repeatable tool is done', async () => {
  const { page } = site()
  const outcomes: unknown[] = []
  const one = await page({ wrapped: silent(outcomes) })
  await one.chat.sendMessage({ text: 'Hello' })
  expect(outcomes).toMatchObject([{ code: 'UNSUPPORTED' }])
  expect(one.chat.status).toBe('ready')
  await one.checkpointer.close()
  const two = await page({ wrapped: silent(outcomes, ['pay']) })
  await two.chat.sendMessage({ text: 'And now?' })
  expect(outcomes.slice(1)).toEqual(['paid'])
})

it('a call that waits to be told of is not begun once its answer is stopped, and the next may be asked for', async () => {
  const { page } = site()
  const outcomes: unknown[] = []
  const { chat } = await page({ wrapped: silent(outcomes) })
  void chat.sendMessage({ text: 'Hello' })
  await expect.poll(() => shortly(chat.messages), soon).toContain('Hm')
  await chat.stop()
  await expect.poll(() => outcomes, { timeout: 1_000 }).toMatchObject([{ message: expect.any(String) }])
  expect(outcomes).not.toMatchObject([{ code: 'UNSUPPORTED' }])
  void chat.sendMessage({ text: 'And now?' })
  await expect.poll(() => shortly(chat.messages), soon).toBe('Hello / Hm / And now? / Hm')
  await chat.stop()
})
