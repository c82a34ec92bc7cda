import { expect, it } from 'vitest'
import type { Loop } from '../../../checkpointer/runs/types.ts'
import { on, rejection, type Fresh } from '../ground.ts'
import { hangs, type Log, type Work } from './loops.ts'

export function partLaws(fresh: Fresh): void {
  it(
    'a step that is tried again does not do again what was part of it and is done',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const seen: string[] = []
      const options = { retries: { times: 3, delay: 1 } }
      const end = await thread.run({}, (loop) =>
        loop.step(
          'outer',
          async ({ step, attempt }) => {
            const paid = await step('pay', () => (seen.push('pay'), 'paid'), { effect: 'external' })
            const fetched = await step('fetch', () => {
              seen.push('fetch')
              if (attempt < 3) throw new Error('no network')
              return 'fetched'
            })
            return `${paid}, ${fetched}`
          },
          options,
        ),
      )
      expect(end.result).toBe('paid, fetched')
      expect(seen).toEqual(['pay', 'fetch', 'fetch', 'fetch'])
      const twice = thread.run({}, (loop) =>
        loop.step(
          'outer',
          async () => {
            await loop.step('pay', () => seen.push('pay again'), { effect: 'external' })
            throw new Error('no network')
          },
          options,
        ),
      )
      const refused = await rejection(twice, 'INVALID')
      expect(refused.message).toContain("'pay'")
      expect(seen.filter((each) => each === 'pay again')).toHaveLength(1)
    }),
  )

  it(
    'a step that is tried again waits for its parts, and none of them is done beside itself',
    on(fresh, async (checkpointer) => {
      const options = { retries: { times: 3, delay: 1 } }
      const paid: number[] = []
      const slow = async (ms: number, attempt: number) => {
        paid.push(attempt)
        await new Promise((resolve) => setTimeout(resolve, ms))
        return attempt
      }
      const external = { effect: 'external' } as const
      const fails = (attempt: number) => {
        if (attempt < 3) throw new Error(`no ${attempt}`)
      }
      const beside = checkpointer.thread<Log>('a').run({}, (loop) =>
        loop.step(
          'outer',
          async ({ step, attempt }) => {
            const pays = step('pay', () => slow(30, attempt), external)
            return (await Promise.all([step('fetch', () => fails(attempt)), pays]))[1]
          },
          options,
        ),
      )
      expect([(await beside).result, paid.splice(0)]).toEqual([1, [1]])
      // A branch that goes on when another has failed begins nothing more.
      const behind = checkpointer.thread<Log>('b').run({}, (loop) =>
        loop.step(
          'outer',
          async ({ step, attempt }) => {
            const looks = step('look', () => new Promise<void>((resolve) => setTimeout(resolve, 20)))
            const pays = looks.then(() => step('pay', () => slow(1, attempt), external))
            return (await Promise.all([step('fetch', () => fails(attempt)), pays]))[1]
          },
          options,
        ),
      )
      const { result } = await behind
      expect(paid.splice(0)).toEqual([result])
      // Nor is one that was begun with the loop's own step, of which that is not known: it is refused.
      const own = checkpointer.thread<Log>('c').run({}, (loop) =>
        loop.step(
          'outer',
          async ({ step, attempt }) => {
            const pays = loop.step('pay', () => slow(30, attempt), external)
            await Promise.all([step('fetch', () => fails(attempt)), pays])
          },
          options,
        ),
      )
      await rejection(own, 'INVALID')
      expect(paid.splice(0)).toEqual([1])
    }),
  )

  it(
    'when the time of an attempt is over, its parts are too, and it begins no more of them',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const paid: number[] = []
      const pay = (attempt: number) => void paid.push(attempt)
      const end = await thread.run({}, (loop) =>
        loop.step(
          'outer',
          async ({ step, attempt }) => {
            if (attempt === 1) {
              await step('hangs', ({ signal }) => hangs(signal)).catch(() => {})
              await new Promise((resolve) => setTimeout(resolve, 20))
            }
            await step('pay', () => pay(attempt), { effect: 'external' })
            await new Promise((resolve) => setTimeout(resolve, 40))
          },
          { timeout: 1_500, retries: { times: 1, delay: 1 } },
        ),
      )
      expect([end.status, paid]).toEqual(['finished', [2]])
      const asked: unknown[] = []
      const unknown = await thread.run({ from: 1 }, (loop) =>
        loop.step(
          'outer',
          async ({ step, attempt }) =>
            step('pay', ({ signal }) => (pay(attempt), hangs(signal)), {
              effect: 'external',
              whenUnknown: ({ attempt: begun }) => (asked.push(begun), { value: 'paid' }),
            }),
          { timeout: 800, retries: { times: 1, delay: 1 } },
        ),
      )
      expect([unknown.result, paid, asked]).toEqual(['paid', [2, 1], [1]])
    }),
  )

  it(
    'a part gives the same on each attempt, whatever the one before has done with it',
    on(fresh, async (checkpointer) => {
      const { result } = await checkpointer.thread<Log>('a').run({}, (loop) =>
        loop.step(
          'outer',
          async ({ step, attempt }) => {
            const list = await step('list', () => [1])
            list.push(2)
            if (attempt < 4) throw new Error('no')
            return list
          },
          { retries: { times: 3, delay: 1 } },
        ),
      )
      expect(result).toEqual([1, 2])
    }),
  )

  it(
    'what is done anew in a run that is tried again is done once there',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const paid: number[] = []
      let isDown = true
      const loop: Work = (own) =>
        own.step(
          'outer',
          async ({ step, attempt }) => {
            await step(
              'pay',
              () => {
                if (isDown) throw new Error('down')
                paid.push(attempt)
              },
              { effect: 'external' },
            )
            if (attempt < 4) throw new Error('not yet')
          },
          { retries: { times: isDown ? 0 : 3, delay: 1 } },
        )
      await expect(thread.run({}, loop)).rejects.toThrow('down')
      isDown = false
      await thread.run({ retry: true }, loop)
      expect(paid).toEqual([2])
    }),
  )

  it(
    'parts of a step that was cut off are looked up when it is run again',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const work =
        (seen: string[], last: (loop: Loop<Log>) => Promise<unknown>): Work =>
        (loop) =>
          loop.step('outer', async ({ step }) => {
            const one = await step('part', () => (seen.push('one'), 1))
            const two = await step('part', () => (seen.push('two'), 2))
            await last(loop)
            return one + two
          })
      const before: string[] = []
      const stop = new AbortController()
      const cut = (loop: Loop<Log>) => (stop.abort(new Error('cut off')), hangs(loop.signal))
      await expect(thread.run({ signal: stop.signal }, work(before, cut))).rejects.toThrow('cut off')
      const after: string[] = []
      expect(
        (
          await thread.run(
            {},
            work(after, async () => {}),
          )
        ).result,
      ).toBe(3)
      expect([before, after]).toEqual([['one', 'two'], []])
    }),
  )
}
