import { expect, it } from 'vitest'
import type { Loop } from '../../../checkpointer/runs/types.ts'
import { listOf, on, rejection, type Fresh } from '../ground.ts'
import { cutOff, hangs, type Log, type Work } from './loops.ts'
import { again, from, logged } from './streaming.ts'

/** Who watches has a moment to read them first. */
const soon = { timeout: 20_000 }

export function streamLaws(fresh: Fresh): void {
  it(
    'a stream gives what its source gives, and gives it again without the source',
    on(fresh, async (checkpointer, ground) => {
      const chunks = ['a', new Map([[1, 2n]]), new Date(0), undefined, { deep: [new Uint8Array([7])] }]
      let calls = 0
      const work: Work = async (loop) => {
        const given = loop.stream<unknown>('answer', () => (calls++, from<unknown>(...chunks)))
        expect(await listOf(given)).toEqual(chunks)
      }
      await cutOff(checkpointer.thread<Log>('a'), work)
      await (await ground.open()).thread<Log>('a').run({}, work)
      expect(calls).toBe(1)
    }),
  )

  it(
    'streams and steps may stand side by side, and share names with none but their kind',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let calls = 0
      const work: Work = (loop) =>
        Promise.all([
          listOf(loop.stream('s', () => (calls++, from('a', 'b')))),
          loop.step('step', () => (calls++, 'done')),
          listOf(loop.stream('s', () => (calls++, from('c', 'd')))),
        ])
      await cutOff(thread, work)
      await cutOff(thread, async (loop) => {
        const wrong = loop.step('s', () => 0)
        await rejection(wrong, 'INVALID')
      })
      expect((await thread.run({}, work)).result).toEqual([['a', 'b'], 'done', ['c', 'd']])
      expect(calls).toBe(3)
    }),
  )

  it(
    'a source that fails, fails again behind the same chunks, until the run is told to try again',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let calls = 0
      let isWell = false
      const got: string[] = []
      const work: Work = async (loop) => {
        got.length = 0
        const source = async function* (): AsyncGenerator<string> {
          calls++
          yield 'a'
          if (!isWell) throw new RangeError('offline')
        }
        for await (const chunk of loop.stream('answer', source)) got.push(chunk)
      }
      for (let i = 0; i < 2; i++) {
        await expect(thread.run({}, work)).rejects.toThrow(RangeError)
        expect([got, calls]).toEqual([['a'], 1])
      }
      isWell = true
      const stop = new AbortController()
      const retried = thread.run({ retry: true, signal: stop.signal }, async (loop) => {
        await work(loop)
        stop.abort(new Error('cut off'))
        await hangs(loop.signal)
      })
      await expect(retried).rejects.toThrow('cut off')
      expect([got, calls]).toEqual([['a'], 2])
      await thread.run({}, work)
      expect([got, calls]).toEqual([['a'], 2])
    }),
  )

  it(
    'a stream that is broken off ends there from then on, and its source is told',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let isCancelled = false
      const got: string[] = []
      const work: Work = async (loop) => {
        const source = async function* (): AsyncGenerator<string> {
          try {
            yield* ['a', 'b', 'c']
          } finally {
            isCancelled = true
          }
        }
        for await (const chunk of loop.stream('answer', source)) {
          got.push(chunk)
          if (chunk === 'b') break
        }
        await loop.step('next', () => 0)
      }
      await cutOff(thread, work)
      expect(isCancelled).toBe(true)
      await cutOff(thread, async (loop) => {
        expect(await listOf(loop.stream('answer', () => from('other')))).toEqual(['a', 'b'])
        await loop.step('next', () => 0)
      })
      expect(got).toEqual(['a', 'b'])
    }),
  )

  it(
    'a loop that throws while it reads has not broken off: the stream was cut',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const work: Work = async (loop) => {
        for await (const chunk of loop.stream('answer', () => from('a', 'b', 'c')))
          if (chunk === 'b') throw new Error('mine')
      }
      await expect(thread.run({ initial: { done: [] } }, work)).rejects.toThrow('mine')
      const { got } = await again(thread, { whenCut: 'continue' })
      expect(got).toEqual(['a', 'b', 'x', 'y'])
    }),
  )

  it(
    'no checkpoint is saved while a stream is open',
    on(fresh, async (checkpointer) => {
      const work = async (loop: Loop<Log>): Promise<void> => {
        for await (const _ of loop.stream('answer', () => from('a'))) await rejection(loop.save(), 'INVALID')
        await loop.save()
      }
      await checkpointer.thread<Log>('a').run({ initial: { done: [] } }, work)
    }),
  )

  it(
    'chunks go when the checkpoint after them is there',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let before = 0
      await thread.run({ initial: { done: [] } }, async (loop) => {
        const read = async (name: string): Promise<void> => {
          loop.state.done.push(...(await listOf(loop.stream(name, () => from('a', 'x'.repeat(40_000))))))
        }
        await read('one')
        const { seq } = (await thread.load())!
        before = await logged(thread, seq)
        await loop.save()
        await read('two')
      })
      expect(before).toBeGreaterThan(0)
      for (const seq of [1, 2, 3]) await expect.poll(() => logged(thread, seq), soon).toBe(0)
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'what cannot be kept, or streamed, is refused with its place',
    on(fresh, async (checkpointer) => {
      await checkpointer.thread<Log>('a').run({ initial: { done: [] } }, async (loop) => {
        const odd = listOf(loop.stream<unknown>('odd', () => from<unknown>({ call: () => 0 })))
        expect((await rejection(odd, 'INVALID')).path).toBe('$.call')
        const wrong: (() => AsyncIterable<unknown>)[] = [
          () => loop.stream('', () => from(1)),
          () => loop.stream('x', 'text' as never),
          () => loop.stream('x', () => from(1), { whenCut: 'never' as never }),
          () => loop.stream('x', from(1), { whenCut: 'continue' }),
          () => loop.stream('x', () => 'text' as never),
        ]
        for (const make of wrong) await rejection((async () => listOf(make()))(), 'INVALID')
      })
    }),
  )

  it(
    'a stream that has more than it may keep is passed on whole, and that is told',
    on(fresh, async (checkpointer, ground) => {
      const told: string[] = []
      const other = await ground.open({ onWarning: ({ code }) => void told.push(code) })
      const { result } = await other
        .thread<Log>('a')
        .run({ initial: { done: [] } }, (loop) =>
          listOf(loop.stream('answer', () => from('aaaa', 'bbbb', 'cccc'), { maxBytes: 13 })),
        )
      expect(result).toEqual(['aaaa', 'bbbb', 'cccc'])
      expect(told).toEqual(['TOO_LARGE'])
    }),
  )
}
