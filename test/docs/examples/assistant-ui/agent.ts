import { tool } from 'ai'
import { z } from 'zod'
import { resultsIn, scriptedModel } from '../../../support/scripted-model.ts'
import { chat } from './chat.ts'

type Prompt = Parameters<Parameters<typeof scriptedModel>[0]>[0]

function askedIn(prompt: Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'user')
  const [part] = last?.role === 'user' ? last.content : []
  return part?.type === 'text' ? part.text : ''
}

/** Asked to be slow it takes its time before it ends; asked to wait it does not end, the first time. */
function atTheEnd(asked: string): Promise<void> | undefined {
  if (asked.endsWith('slow')) return new Promise((resolve) => setTimeout(resolve, 500))
  if (!asked.endsWith('wait') || sessionStorage.getItem('waited') !== null) return undefined
  sessionStorage.setItem('waited', 'yes')
  return new Promise(() => {})
}

let asked = ''

/** Says what it was asked, word by word; asked to book, when it has done so. */
export const model = scriptedModel(
  (prompt) => {
    asked = askedIn(prompt)
    chat.asked.push(asked)
    if (asked.startsWith('book') && resultsIn(prompt) === 0) return { calls: [{ tool: 'book', input: {} }] }
    return { text: `you said ${asked} .`.split(/(?<= )/) }
  },
  (piece) => (piece === '.' ? atTheEnd(asked) : undefined),
)

export const tools = {
  book: tool({ inputSchema: z.object({}), execute: () => `${chat.done.push('booked')} is booked` }),
}
