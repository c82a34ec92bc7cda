import { openCheckpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { run } from '@openai/agents-core'
import { agent } from './trip.ts' // yours: its tools `search` and `book` do what they do at once

/** What a page does when it is loaded, and loaded again. */
export async function page(input: string): Promise<string> {
  const checkpointer = await openCheckpointer({ name: 'my-trips' })
  const session = new ForkpointSession(checkpointer, 'trip')
  const result = await run(agent, input, { session })
  const { length } = await session.getItems()
  await checkpointer.close()
  return `${result.finalOutput} (${length} items)`
}
