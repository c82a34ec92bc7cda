import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import { largestPiece } from '../support/largest-piece.ts'
import { longestStretch } from '../support/longest-stretch.ts'

const large = () => ({
  messages: Array.from({ length: 7000 }, (_, i) => ({
    role: 'user',
    n: i,
    content: `word${i} `.repeat(150),
    tags: ['a', 'b', { c: i }],
  })),
})

/** Of 10 MB. How long a stretch of it takes, in time of the processor, is what `test/faults/stretches.ts` measures. */
const MOST_AT_ONCE = 512 * 1024

it('a load of 10 MB leaves the page its time, tells how far it is, and stops when told to', async () => {
  const name = `large ${crypto.randomUUID()}`
  const writer = await openCheckpointer({ name })
  await writer.thread('t').save(large())
  await writer.close()
  const checkpointer = await openCheckpointer({ name })
  onTestFinished(() => checkpointer.destroy())

  const told: number[] = []
  let last: unknown
  const load = async (): Promise<void> => {
    const reader = await openCheckpointer({ name })
    const onProgress = (done: number, total: number): void => void told.push(done / total)
    const loaded = await reader.thread<ReturnType<typeof large>>('t').load(undefined, { onProgress })
    last = loaded?.state.messages.at(-1)
    await reader.close()
  }
  expect(await largestPiece(load)).toBeLessThan(MOST_AT_ONCE)
  expect(last).toEqual(large().messages.at(-1))
  expect(told.at(-1)).toBe(1)
  console.log(`longest stretch of a 10 MB load: ${(await longestStretch(load)).toFixed(1)} ms`)

  const reason = new Error('the user went on')
  const aborted = checkpointer.thread('t').load(undefined, { signal: AbortSignal.abort(reason) })
  await expect(aborted).rejects.toBe(reason)
  const controller = new AbortController()
  const stopped = checkpointer.thread('t').load(undefined, { signal: controller.signal })
  setTimeout(() => controller.abort(reason), 5)
  await expect(stopped).rejects.toBe(reason)
  expect((await checkpointer.thread<ReturnType<typeof large>>('t').load())?.state.messages.length).toBe(7000)
})
