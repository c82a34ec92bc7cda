import { expect, it } from 'vitest'
import type { Loop } from '../../../checkpointer/runs/types.ts'
import { listOf, on, rejection, type Fresh } from '../ground.ts'
import { begun, cutOff, hangs, untilAsked, type Log, type Work } from './loops.ts'

export function attemptLaws(fresh: Fresh): void {
  it(
    'of a step that may or may not have been done the policy decides',
    on(fresh, async (checkpointer) => {
      const decided = async (id: string, options: object, start = {}): Promise<unknown> => {
        const thread = checkpointer.thread<Log>(id)
        await cutOff(thread, (loop) => begun(loop, 'x', start))
        const end = await thread.run({}, (loop) =>
          loop
            .step('x', ({ attempt }) => `attempt ${attempt}`, options)
            .catch((error: unknown) => String(error)),
        )
        return end.result
      }
      expect(await decided('a', {})).toBe('attempt 2')
      expect(await decided('b', { whenUnknown: 'skip' })).toBe(undefined)
      expect(await decided('c', { whenUnknown: 'retry' }, { effect: 'external' })).toBe('attempt 2')
      expect(
        await decided('d', { whenUnknown: ({ attempt }: { attempt: number }) => ({ value: attempt }) }),
      ).toBe(1)
      expect(await decided('e', { whenUnknown: async () => ({ error: new Error('it failed') }) })).toBe(
        'Error: it failed',
      )
      expect(await decided('f', { whenUnknown: () => 'what?' })).toContain('no answer')
    }),
  )

  it(
    'of an external step a person is asked, whose answer holds',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('a')
      await cutOff(thread, (loop) => begun(loop, 'buy', { effect: 'external' }))
      const running = thread.run({}, (loop) =>
        loop.step('buy', () => expect.unreachable(), { effect: 'external' }),
      )
      const other = (await ground.open()).thread<Log>('a')
      await untilAsked(other)
      await rejection(other.answer('perhaps'), 'INVALID')
      await other.answer({ value: 'ticket 7' })
      expect((await running).result).toBe('ticket 7')
      await rejection(other.answer('retry'), 'NOT_FOUND')
    }),
  )

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

  it(
    'a step is tried again as often as it was asked for, and a time limit ends an attempt',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const attempts: number[] = []
      const fails = ({ attempt }: { attempt: number }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error(`no ${attempt}`)
        return 'at last'
      }
      const options = { retries: { times: 2, delay: 1 } }
      expect((await thread.run({}, (loop) => loop.step('x', fails, options))).result).toBe('at last')
      expect(attempts).toEqual([1, 2, 3])
      const late = thread.run({}, (loop) =>
        loop.step('slow', ({ signal }) => hangs(signal), { timeout: 10, retries: { times: 1, delay: 1 } }),
      )
      await expect(late).rejects.toMatchObject({ name: 'TimeoutError' })
      const picky = thread.run({ from: 1 }, (loop) =>
        loop.step('x', fails, {
          retries: { times: 5, delay: 1, when: (error) => String(error).endsWith('1') },
        }),
      )
      attempts.length = 0
      await expect(picky).rejects.toThrow('no 2')
      expect(attempts).toEqual([1, 2])
    }),
  )

  it(
    'a run that a failed step has ended throws the same again, until it is to be tried again',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let runs = 0
      const work: Work = (loop) =>
        loop.step('model', () => {
          runs++
          if (runs === 1) throw new Error('no network')
          return 'hello'
        })
      await expect(thread.run({}, work)).rejects.toThrow('no network')
      await expect(thread.run({}, work)).rejects.toThrow('no network')
      expect(runs).toBe(1)
      const [failed] = await listOf(checkpointer.runs({ status: 'failed' }))
      expect(failed?.error).toBe('Error: no network')
      const end = await thread.run({ retry: true }, work)
      expect(end).toMatchObject({ began: 'resumed', result: 'hello' })
      const again = await thread.run({ retry: true }, () => expect.unreachable())
      expect(again).toEqual({ ...end, began: 'already-finished' })
      let isUp = false
      const tools: Work = (loop) =>
        Promise.all(
          ['a', 'b', 'c'].map((name) =>
            loop.step(name, async () => {
              if (!isUp) throw new Error(`no network for ${name}`)
              return name
            }),
          ),
        ).catch((cause: unknown) => {
          throw new Error('a tool failed', { cause })
        })
      await expect(thread.run({}, tools)).rejects.toThrow('a tool failed')
      isUp = true
      expect((await thread.run({ retry: true }, tools)).result).toEqual(['a', 'b', 'c'])
    }),
  )

  it(
    'what was under way when another branch failed has its outcome, if it comes soon',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const seen: string[] = []
      const work: Work = (loop) =>
        Promise.all([
          loop.step('fails', () => {
            if (seen.length < 2) throw new Error('no network')
            return 'well'
          }),
          loop.step('pays', () => new Promise((resolve) => setTimeout(resolve, 50, seen.push('paid'))), {
            effect: 'external',
          }),
        ])
      await expect(thread.run({}, work)).rejects.toThrow('no network')
      seen.push('up again')
      expect((await thread.run({ retry: true }, work)).result).toEqual(['well', 1])
      expect(seen).toEqual(['paid', 'up again'])
    }),
  )

  it(
    'a step that was tried again after a failure, and cut off, is not taken for one that has failed',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const fails = (): never => {
        throw new Error('no network')
      }
      await expect(
        thread.run({}, (loop) => loop.step('pay', fails, { effect: 'external' })),
      ).rejects.toThrow()
      const stop = new AbortController()
      const cut = thread.run({ retry: true, signal: stop.signal }, (loop) =>
        loop.step('pay', ({ signal }) => (stop.abort(new Error('cut off')), hangs(signal))),
      )
      await expect(cut).rejects.toThrow('cut off')
      const whenUnknown = ({ attempt }: { attempt: number }) => ({ value: `attempt ${attempt}` })
      const end = await thread.run({}, (loop) => loop.step('pay', fails, { whenUnknown }))
      expect(end.result).toBe('attempt 2')
    }),
  )
}
