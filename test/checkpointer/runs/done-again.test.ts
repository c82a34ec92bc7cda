import { openCheckpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'

it('a loop that does again what it did before its last save is told so, and not only that it has changed', async () => {
  const checkpointer = await openCheckpointer({ name: 'a', storage: memoryStorage() })
  const thread = checkpointer.thread('t')
  const stop = new AbortController()
  const loop = async ({ step, save }: Loop<unknown>): Promise<void> => {
    await step('search', () => 'found')
    await save()
    await step('book', () => stop.abort(new Error('cut off')))
  }
  await expect(thread.run({ signal: stop.signal }, loop)).rejects.toThrow('cut off')
  await expect(thread.run({}, loop)).rejects.toThrow(/has the step 'book'.*'search'.*loop\.state/)
})
