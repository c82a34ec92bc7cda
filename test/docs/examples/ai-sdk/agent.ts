import { tool } from 'ai'
import { z } from 'zod'
import { scriptedModel, trip } from '../../../support/scripted-model.ts'

/** What the tools have really done. */
export const done: string[] = []
/** Where the model says no more, as if it took its time. */
export const silence = { at: '' }

export const model = scriptedModel(trip, (piece) => {
  if (piece === silence.at) return new Promise<void>(() => {})
})

export const tools = {
  search: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => {
      done.push(`search ${city}`)
      return `TP 1351 to ${city}`
    },
  }),
  book: tool({
    inputSchema: z.object({ flight: z.string() }),
    execute: ({ flight }) => {
      done.push(`book ${flight}`)
      return `${flight} is booked`
    },
  }),
}
