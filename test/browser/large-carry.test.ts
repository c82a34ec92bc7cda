import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import { longestStretch } from '../support/longest-stretch.ts'

const large = () => ({
  messages: Array.from({ length: 7000 }, (_, i) => ({
    role: 'user',
    n: i,
    content: `word${i} `.repeat(150),
    tags: ['a', 'b', { c: i }],
  })),
})

it('an export and an import of 10 MB leave the page its time, also where the page does the work', async () => {
  const checkpointer = await openCheckpointer({ name: `carry ${crypto.randomUUID()}`, worker: false })
  onTestFinished(() => checkpointer.destroy())
  const thread = checkpointer.thread<ReturnType<typeof large>>('t')
  await thread.save(large())
  for (let i = 0; i < 50; i++)
    await thread.save({ messages: [...large().messages.slice(0, i), ...large().messages.slice(i + 1)] })
  for (const compress of [false, true]) {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    const out = await longestStretch(async () => {
      for await (const piece of checkpointer.export('t', { compress })) pieces.push(new Uint8Array(piece))
    })
    const file = new Blob(pieces)
    let renamed: readonly { readonly to: string }[] = []
    const back = await longestStretch(async () => {
      renamed = (await checkpointer.import(file, { onConflict: 'rename' })).renamed
    })
    console.log(
      `${compress ? 'packed' : 'plain'}, ${(file.size / 2 ** 20).toFixed(1)} MiB: longest stretch of an export ${out.toFixed(1)} ms, of an import ${back.toFixed(1)} ms`,
    )
    const twin = checkpointer.thread<ReturnType<typeof large>>(renamed[0]?.to ?? '')
    expect((await twin.load(1))?.state.messages).toHaveLength(7000)
    await twin.delete()
  }
})
