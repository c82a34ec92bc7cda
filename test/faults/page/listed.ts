import { openCheckpointer, type Checkpointer, type OpenOptions } from 'forkpoint'

/** Lists, then saves, then lists again: medians, in milliseconds. */
export async function timeLists(
  options: OpenOptions,
  saves: number,
): Promise<{ before: number; after: number }> {
  const checkpointer = await openCheckpointer(options)
  const thread = checkpointer.thread<number>('saved')
  await checkpointer.thread('other').save(0)
  await thread.save(0)
  const before = await timeList(checkpointer)
  for (let n = 1; n <= saves; n++) await thread.save(n)
  const after = await timeList(checkpointer)
  await checkpointer.destroy()
  return { before, after }
}

async function timeList(checkpointer: Checkpointer): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 101; i++) {
    const from = performance.now()
    for await (const _ of checkpointer.threads());
    times.push(performance.now() - from)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
}
