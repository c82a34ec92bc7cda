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

it('an export and an import of 10 MB leave the page its time, also where the page does the work', async () => {
  const checkpointer = await openCheckpointer({ name: `carry ${crypto.randomUUID()}`, worker: false })
  onTestFinished(() => checkpointer.destroy())
  const thread = checkpointer.thread<ReturnType<typeof large>>('t')
  await thread.save(large())
  for (let i = 0; i < 50; i++)
    await thread.save({ messages: [...large().messages.slice(0, i), ...large().messages.slice(i + 1)] })
  for (const compress of [false, true]) {
    let [out, back] = [0, 0]
    let file = new Blob()
    let twin = ''
    const exported = largestPiece(async () => {
      const pieces: Uint8Array<ArrayBuffer>[] = []
      out = await longestStretch(async () => {
        for await (const piece of checkpointer.export('t', { compress })) pieces.push(new Uint8Array(piece))
      })
      file = new Blob(pieces)
    })
    expect(await exported).toBeLessThan(MOST_AT_ONCE)
    const imported = largestPiece(async () => {
      back = await longestStretch(async () => {
        const { renamed } = await checkpointer.import(file, { onConflict: 'rename' })
        twin = renamed[0]?.to ?? ''
      })
    })
    expect(await imported).toBeLessThan(MOST_AT_ONCE)
    console.log(
      `${compress ? 'packed' : 'plain'}, ${(file.size / 2 ** 20).toFixed(1)} MiB: longest stretch of an export ${out.toFixed(1)} ms, of an import ${back.toFixed(1)} ms`,
    )
    const thread = checkpointer.thread<ReturnType<typeof large>>(twin)
    expect((await thread.load(1))?.state.messages).toHaveLength(7000)
    await thread.delete()
  }
})
