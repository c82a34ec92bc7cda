/** The page of docs/ai-sdk.md, or the one without a checkpointer, and a user of it. */
import { done, model, silence } from '../docs/examples/ai-sdk/agent.ts'

export interface About {
  readonly isKept: boolean
  /** Where the model falls silent. */
  readonly silentAt?: string
  readonly click?: 'Ask' | 'Again'
  /** What is to be read before the page goes. */
  readonly until: string
}

export async function play({ isKept, silentAt = '', click, until }: About): Promise<unknown> {
  silence.at = silentAt
  await (isKept ? import('../docs/examples/ai-sdk/page.ts') : import('../docs/examples/ai-sdk/without.ts'))
  if (click) (await found(() => buttonOf(click))).click()
  await found(() =>
    textOf('p').endsWith(until) && (silentAt || textOf('output') === 'ready') ? true : undefined,
  )
  return { said: textOf('p'), status: textOf('output'), done, asked: model.doStreamCalls.length }
}

const textOf = (tag: string): string =>
  Array.from(document.querySelectorAll(tag), ({ textContent }) => textContent).join('|')

const buttonOf = (name: string): HTMLButtonElement | undefined =>
  Array.from(document.querySelectorAll('button')).find(({ textContent }) => textContent === name)

async function found<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const it = look()
    if (it !== undefined) return it
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`It did not come: ${textOf('p')} (${textOf('output')})`)
}
