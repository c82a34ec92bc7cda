import { openCheckpointer } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { advance, jsonBytes, newState } from '../../agent-loop.ts'
import { countingStorage } from '../../counting-storage.ts'
import type { BytesHanded } from './api.ts'
import { pause } from './timing.ts'

/** The loop again, with the store's side on the page, where what it hands to IndexedDB can be counted. */
export async function bytes({ steps }: { readonly steps: number }): Promise<BytesHanded> {
  const name = 'bench-bytes'
  const { storage, counts } = countingStorage(indexedDbStorage({ name }))
  const checkpointer = await openCheckpointer({ name, storage })
  const thread = checkpointer.thread('counted')
  const state = newState()
  for (let step = 1; step <= steps; step++) {
    await thread.save(advance(state, step))
    await pause(0)
  }
  await pause(300)
  const counted = { ...counts }
  const stored = (await checkpointer.usage()).bytes
  await checkpointer.destroy()
  return { counts: counted, state: jsonBytes(state).length, stored }
}
