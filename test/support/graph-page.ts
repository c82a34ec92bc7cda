/** What a page does that is loaded for one stage of the story, and then goes: it closes nothing. */
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { tell } from './graph-story.ts'

interface About {
  readonly name: string
  readonly stage: number
}

export async function play({ name, stage }: About): Promise<unknown> {
  return tell(stage, new ForkpointSaver(await openCheckpointer({ name, worker: 'auto' })))
}
