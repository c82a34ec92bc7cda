import { expect, it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import type { StreamCut, WhenCut } from '../../../checkpointer/runs/streams/options.ts'
import { listOf, on, rejection, type Fresh } from '../ground.ts'
import { cutOff, hangs, type Log } from './loops.ts'
import { again, from, logged } from './streaming.ts'

/** Reads some chunks of a stream that never ends, has them stored, and is cut off. */
async function cutInMidStream(checkpointer: Checkpointer, chunks: readonly string[]): Promise<void> {
  await cutOff(checkpointer.thread<Log>('a'), async (loop) => {
    const stream = loop.stream('answer', async function* ({ signal }) {
      yield* chunks
      await hangs(signal)
    })
    const reading = stream[Symbol.asyncIterator]()
    for (const chunk of chunks) expect((await reading.next()).value).toBe(chunk)
    await checkpointer.flush()
  })
}

/** Laws about a stream whose page, or runner, went in the middle of it. */
export function cutStreamLaws(fresh: Fresh): void {
  it(
    'a stream that was cut off is begun anew, by itself or when that is said',
    on(fresh, async (checkpointer, ground) => {
      await cutInMidStream(checkpointer, ['a', 'b', 'c'])
      const other = (await ground.open()).thread<Log>('a')
      expect(await again(other)).toEqual({ got: ['x', 'y'], calls: ['2 after '] })
    }),
  )

  it(
    'or goes on from what was flushed, all of it and in order',
    on(fresh, async (checkpointer, ground) => {
      const chunks = Array.from({ length: 50 }, (_, i) => `${i}: ${'x'.repeat((i * 997) % 3_000)}`)
      await cutInMidStream(checkpointer, chunks)
      const other = (await ground.open()).thread<Log>('a')
      expect(await again(other, { whenCut: 'continue' })).toEqual({
        got: [...chunks, 'x', 'y'],
        calls: [`1 after ${chunks.join('')}`],
      })
    }),
  )

  it(
    'or ends with what there is; a function that is given it decides',
    on(fresh, async (checkpointer, ground) => {
      await cutInMidStream(checkpointer, ['a', 'b'])
      const other = (await ground.open()).thread<Log>('a')
      const shown: unknown[] = []
      const whenCut = async (cut: StreamCut<string>): Promise<WhenCut> => {
        shown.push([cut.name, cut.attempt, ...cut.chunks])
        return 'keep'
      }
      expect(await again(other, { whenCut })).toEqual({ got: ['a', 'b'], calls: [] })
      expect(shown).toEqual([['answer', 1, 'a', 'b']])
    }),
  )

  it(
    'what was read again after a cut counts, and nothing from before it',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      await cutInMidStream(checkpointer, ['a', 'b'])
      for (let i = 0; i < 2; i++)
        await cutOff(thread, async (loop) => {
          expect(await listOf(loop.stream('answer', ({ attempt }) => from(`new ${attempt}`)))).toEqual([
            'new 2',
          ])
        })
      expect((await again(thread)).got).toEqual(['new 2'])
    }),
  )

  it(
    'a runner that was replaced reads no more, and the next one goes on from what it had passed on',
    on(fresh, async (checkpointer, ground) => {
      let isCancelled = false
      const source = (chunk: string) =>
        new ReadableStream<string>({
          start: (it) => it.enqueue(chunk),
          cancel: () => void (isCancelled = true),
        })
      const got: string[] = []
      const first = checkpointer.thread<Log>('a').run({ initial: { done: [] } }, async (loop) => {
        for await (const chunk of loop.stream('answer', () => source('a'))) {
          got.push(chunk)
          await checkpointer.flush()
        }
      })
      void first.catch(() => {})
      await expect.poll(() => got).toEqual(['a'])
      await expect.poll(() => logged(checkpointer.thread<Log>('a'))).toBe(1)
      const other = (await ground.open()).thread<Log>('a')
      const second = await other.run({ steal: true }, (loop) =>
        listOf(
          loop.stream('answer', ({ chunks }) => from(`after ${chunks.join()}`), { whenCut: 'continue' }),
        ),
      )
      await rejection(first, 'LEASE_LOST')
      expect(isCancelled).toBe(true)
      expect(second.result).toEqual(['a', 'after a'])
    }),
  )
}
