import { openCheckpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { agent } from './trip.ts' // yours: its tools `search` and `book` do what they do at once

/** What a page does when it is loaded, and loaded again: it goes on with the run that was cut off, or begins one. */
export async function page(input: string): Promise<string> {
  const checkpointer = await openCheckpointer({ name: 'my-trips' })
  const session = new ForkpointSession(checkpointer, 'trip')
  const options = { repeatable: ['search'] } // it changes nothing
  const result = (await session.resume(agent, options)) ?? (await session.run(agent, input, options))
  const { length } = await session.getItems()
  await checkpointer.close()
  return `${result.finalOutput} (${length} items)`
}
