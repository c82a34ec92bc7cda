import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { jsonSchema, tool, type UIMessage, type UIMessageChunk } from 'ai'
import { expect, it } from 'vitest'
import { RunJournal } from '../../../src/integrations/ai-sdk/tools/journal.ts'
import { listOf } from '../../../src/testing/checkpointer/ground.ts'

/** An answer that was cut off, with three calls that have no outcome in it. */
const messages: UIMessage[] = [
  {
    id: 'm',
    role: 'assistant',
    parts: ['done', 'begun', 'never begun'].map((toolCallId) => ({
      type: 'tool-book',
      toolCallId,
      state: 'input-available',
      input: {},
    })),
  },
]

it('an answer that is stopped while it is ended tells of its calls what the journal has of them', async () => {
  const checkpointer = await openCheckpointer({ name: 'stopped', storage: memoryStorage() })
  const thread = checkpointer.thread<object>('t')
  const booked: string[] = []
  let cut = (): void => {}
  const isCut = new Promise<void>((resolve) => (cut = resolve))
  const never = new Promise<never>(() => {})
  const ending = (stop: AbortSignal, begin: readonly string[] = []) =>
    thread.run({ runId: 'r', initial: {} }, async (loop) => {
      const journal = new RunJournal({ loop, checkpointer })
      const execute = async (_: unknown, { toolCallId }: { toolCallId: string }): Promise<string> => {
        booked.push(toolCallId)
        if (toolCallId === 'begun') {
          cut()
          return never
        }
        return `${toolCallId}: booked`
      }
      const { book } = journal.tools({ book: tool({ inputSchema: jsonSchema<object>({}), execute }) })
      for (const toolCallId of begin) {
        journal.isLogged(toolCallId)
        await book.execute?.({}, { toolCallId, messages: [], context: undefined })
      }
      return listOf<UIMessageChunk>(journal.outcomes(messages, stop))
    })
  const first = ending(new AbortController().signal, ['done', 'begun'])
  first.catch(() => {})
  await isCut
  await (await thread.lease({ steal: true })).release()
  const { result } = await ending(AbortSignal.abort())
  expect(result).toMatchObject([
    { type: 'tool-output-available', toolCallId: 'done', output: 'done: booked' },
    { type: 'tool-output-error', toolCallId: 'begun', errorText: expect.stringContaining('not known') },
    { type: 'tool-output-error', toolCallId: 'never begun', errorText: expect.stringContaining('stopped') },
  ])
  expect(booked).toEqual(['done', 'begun'])
  await checkpointer.close()
})
