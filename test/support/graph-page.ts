/** What a page does that is loaded for one stage of the story, and then goes: it closes nothing. */
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { tell } from './graph-story.ts'

interface About {
  readonly name: string
  readonly stage: number
  /** The channel to answer on. */
  readonly id: string
}

export async function play({ name, stage, id }: About): Promise<void> {
  const channel = new BroadcastChannel(id)
  try {
    const saver = new ForkpointSaver(await openCheckpointer({ name, worker: 'auto' }))
    channel.postMessage({ told: await tell(stage, saver) })
  } catch (error) {
    channel.postMessage({ error: String(error instanceof Error ? error.stack : error) })
  }
}
