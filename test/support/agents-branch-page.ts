/** A page that forks the session of docs/openai-agents.md, or goes on with such a fork. */
import { run } from '@openai/agents-core'
import { openCheckpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { agent } from '../docs/examples/openai-agents/agent.ts'

export async function play({ fork }: { fork?: string }): Promise<unknown> {
  const checkpointer = await openCheckpointer({ name: 'my-agent' })
  const origin = new ForkpointSession(checkpointer, 'trip')
  const session = fork === undefined ? await origin.fork() : new ForkpointSession(checkpointer, fork)
  const { finalOutput } = await run(agent, 'Thanks', { session })
  const [items, before] = [await session.getItems(), await origin.getItems()]
  await checkpointer.close()
  return { fork: session.sessionId, said: finalOutput, items: items.length, before: before.length }
}
