import { MemorySession, run } from '@openai/agents-core' // `@openai/agents` has them as well
import { agent } from './agent.ts' // yours: its tool `book` needs an approval

/** What a page does when it is loaded, and loaded again. */
export async function page(input: string): Promise<string> {
  const session = new MemorySession({ sessionId: 'trip' })
  const result = await run(agent, input, { session })
  const { length } = await session.getItems()
  return `${result.finalOutput ?? 'May I book?'} (${length} items)`
}
