import { run, RunState } from '@openai/agents-core' // `@openai/agents` has them as well
import { openCheckpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { agent } from './agent.ts' // yours: its tool `book` needs an approval

/** What a page does when it is loaded, and loaded again: it goes on with the run that waits, or begins one. */
export async function page(input: string, approve: boolean): Promise<string> {
  const checkpointer = await openCheckpointer({ name: 'my-agent' })
  const session = new ForkpointSession(checkpointer, 'trip')
  const waiting = await session.loadRun()
  const state = waiting === undefined ? undefined : await RunState.fromString(agent, waiting)
  for (const asked of state?.getInterruptions() ?? []) {
    if (approve) state?.approve(asked)
    else state?.reject(asked)
  }
  const result = await run(agent, state ?? input, { session })
  if (result.interruptions.length > 0) await session.saveRun(result.state)
  else await session.dropRun()
  const { length } = await session.getItems()
  await checkpointer.close()
  return `${result.finalOutput ?? 'May I book?'} (${length} items)`
}
