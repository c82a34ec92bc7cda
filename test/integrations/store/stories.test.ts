import 'fake-indexeddb/auto'
import { openCheckpointer } from 'forkpoint'
import { forkpointStorage } from 'forkpoint/store'
import { expect, it } from 'vitest'
import { play, seen, type Story } from '../../support/store-stories.ts'

it.each(Object.keys(seen) as Story[])('%s goes on from page to page, back and forth', async (story) => {
  const name = `story-${Math.random()}`
  const failures: unknown[] = []
  const onError = (error: unknown): void => void failures.push(error)
  for (const [page, sees] of seen[story].entries()) {
    const checkpointer = await openCheckpointer({ name, worker: false, durability: 'async' })
    const storage = forkpointStorage(checkpointer, { onError, onWarning: onError })
    expect(await play(story, page, storage)).toEqual(sees)
    // A page that goes does this.
    await storage.close()
    await checkpointer.close()
  }
  expect(failures).toEqual([])
})
