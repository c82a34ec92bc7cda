/** What a page does that is loaded for one part of a story, and then goes: it closes and flushes nothing. */
import { openCheckpointer } from 'forkpoint'
import { forkpointStorage } from 'forkpoint/store'
import { play as playPage, type Story } from './store-stories.ts'

interface About {
  readonly name: string
  readonly story: Story
  readonly page: number
}

export async function play({ name, story, page }: About): Promise<unknown> {
  const failures: string[] = []
  const fail = (error: unknown): void =>
    void failures.push(
      String(error) + String((error as Error).cause) + String(((error as Error).cause as Error)?.cause),
    )
  const checkpointer = await openCheckpointer({ name, durability: 'async', onWarning: fail })
  // So rarely that what was not seen written is what the page writes as it goes.
  const storage = forkpointStorage(checkpointer, { every: 30_000, onError: fail, onWarning: fail })
  const sees = await playPage(story, page, storage)
  return failures.length > 0 ? failures : sees
}
