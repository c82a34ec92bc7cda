import { openCheckpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'

/** A storage of which reads hang as long as `gate` says, once the promise `reached` has been told. */
async function hanging(): Promise<{ storage: Storage; hang: () => void; reached: Promise<void> }> {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const writer = await openCheckpointer({ name: 'hangs', storage })
  for (let n = 1; n <= 5; n++) await writer.thread('a').save({ n })
  await writer.close()
  const read = storage.read.bind(storage)
  let isHanging = false
  let tell = (): void => {}
  const reached = new Promise<void>((resolve) => (tell = resolve))
  storage.read = (partition, queries) => {
    if (!isHanging) return read(partition, queries)
    tell()
    return new Promise(() => {})
  }
  return { storage, hang: () => (isHanging = true), reached }
}

it.each([false, 'plan', true] as const)(
  'a check that hangs in a read is stopped at once by its signal (repair: %s)',
  async (repair) => {
    const { storage, hang, reached } = await hanging()
    const checkpointer = await openCheckpointer({ name: 'hangs', storage })
    hang()
    const stopping = new AbortController()
    const reason = new Error('enough')
    const checked = checkpointer.verify({ repair, signal: stopping.signal })
    await reached
    stopping.abort(reason)
    await expect(checked).rejects.toBe(reason)
  },
)

it('a count of usage that hangs in a read is stopped at once by its signal', async () => {
  const { storage, hang, reached } = await hanging()
  const checkpointer = await openCheckpointer({ name: 'hangs', storage })
  hang()
  const stopping = new AbortController()
  const reason = new Error('enough')
  const counted = checkpointer.usage({ signal: stopping.signal })
  await reached
  stopping.abort(reason)
  await expect(counted).rejects.toBe(reason)
})
