/** An agent of the OpenAI Agents SDK with a scripted model: it looks for a flight, and books it if it may. */
import { Agent, setTracingDisabled, tool } from '@openai/agents-core'
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents-core/testing'
import { z } from 'zod'

setTracingDisabled(true)

const script = [
  [functionCall('search', { city: 'Lisbon' }, { callId: 'call-1' })],
  [functionCall('book', { flight: 'TP 1351' }, { callId: 'call-2' })],
  [assistantMessage('You fly with TP 1351.')],
]

/** Hears of what the tools really do. */
export type Done = (what: string) => void

export interface TripOptions {
  /** Whether `book` asks a person; it does when absent. */
  readonly isAsked?: boolean
  /** Called before the model answers, and before a tool does what it does; it may hang. */
  readonly before?: () => void | Promise<void>
  /** Called with the name of a tool once it has done what it does; it may hang. */
  readonly after?: (tool: string) => void | Promise<void>
  /** Called each time the model is asked. */
  readonly onModel?: () => void
}

/** The model says what the items it is sent ask for next, as a real one would; so it may be asked by any page. */
export function tripAgent(
  done: Done,
  { isAsked = true, before = () => {}, after = () => {}, onModel = () => {} }: TripOptions = {},
): Agent {
  const answer = modelResponder(async ({ request: { input } }) => {
    await before()
    onModel()
    const results =
      typeof input === 'string' ? [] : input.filter(({ type }) => type === 'function_call_result')
    const said =
      typeof input === 'string'
        ? 0
        : input.findLastIndex((item) => 'role' in item && item.role === 'assistant')
    if (said > 0) return [assistantMessage('You do still.')]
    return script[results.length] ?? []
  })
  return new Agent({
    name: 'travel',
    model: new ScriptedModel(Array.from({ length: 10 }, () => answer)),
    tools: [
      tool({
        name: 'search',
        description: 'Finds a flight',
        parameters: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          await before()
          done(`search ${city}`)
          await after('search')
          return 'TP 1351, 90 €'
        },
      }),
      tool({
        name: 'book',
        description: 'Books a flight',
        parameters: z.object({ flight: z.string() }),
        needsApproval: isAsked,
        execute: async ({ flight }) => {
          await before()
          done(`book ${flight}`)
          await after('book')
          return 'booked'
        },
      }),
    ],
  })
}
