import { expect, it } from 'vitest'
import type { Loop } from '../../checkpointer/runs/types.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { on, rejection, type Fresh } from './ground.ts'
import { hangs, type Log } from './loops.ts'

type Work = (loop: Loop<Log>) => Promise<unknown>

/** Runs the loop up to where it would hang, and then stops it: as a crash, what is under way has no outcome. */
async function cutOff(thread: Thread<Log>, loop: Work): Promise<void> {
  const stop = new AbortController()
  const running = thread.run({ initial: { done: [] }, signal: stop.signal }, async (own) => {
    await loop(own)
    stop.abort(new Error('cut off'))
    await hangs(own.signal)
  })
  await expect(running).rejects.toThrow('cut off')
}

/** A step that is begun, and never ends. */
const begun = (loop: Loop<Log>, name: string, options = {}): Promise<void> =>
  new Promise((resolve) => {
    loop.step(name, ({ signal }) => (resolve(), hangs(signal)), options).catch(() => {})
  })

export function stepLaws(fresh: Fresh): void {
  it(
    'a step with an outcome is not run again, and gives the same value or error',
    on(fresh, async (checkpointer, ground) => {
      const value = { at: new Date(0), all: new Set([1n]) }
      const work =
        (runs: string[]): Work =>
        async (loop) => {
          const given = await loop.step('value', () => (runs.push('value'), value))
          const nothing = await loop.step('nothing', () => void runs.push('nothing'))
          const error: unknown = await loop
            .step('error', () => {
              runs.push('error')
              throw Object.assign(new RangeError('far'), { by: 7 })
            })
            .catch((thrown: unknown) => thrown)
          expect([given, nothing]).toEqual([value, undefined])
          expect(error).toBeInstanceOf(RangeError)
          expect(error).toMatchObject({ message: 'far', by: 7 })
        }
      const before: string[] = []
      await cutOff(checkpointer.thread<Log>('a'), work(before))
      const after: string[] = []
      await (await ground.open()).thread<Log>('a').run({}, work(after))
      expect([before, after]).toEqual([['value', 'nothing', 'error'], []])
    }),
  )

  it(
    'the intent is stored before a step runs, and its key is the same on every attempt',
    on(fresh, async (checkpointer, ground) => {
      const keys: string[] = []
      const work: Work = (loop) =>
        loop.step('one', async ({ key, attempt, signal }) => {
          keys.push(`${attempt} ${key}`)
          const other = (await ground.open()).thread<Log>('a')
          expect((await other.load())?.pendingWrites.map(({ taskId }) => taskId)).toContain(key)
          return attempt < 3 ? hangs(signal) : 'done'
        })
      const thread = checkpointer.thread<Log>('a')
      for (let i = 0; i < 2; i++) {
        const stop = new AbortController()
        const running = thread.run({ signal: stop.signal }, (loop) => {
          setTimeout(() => stop.abort(new Error('cut off')), 200)
          return work(loop)
        })
        await expect(running).rejects.toThrow('cut off')
      }
      expect((await thread.run({}, work)).result).toBe('done')
      const [first] = keys
      const key = first?.slice(2)
      expect(keys).toEqual([`1 ${key}`, `2 ${key}`, `3 ${key}`])
    }),
  )

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
    'steps may run side by side, repeat their names, and nest',
    on(fresh, async (checkpointer) => {
      const work =
        (runs: string[]): Work =>
        async (loop) => {
          const step = (name: string, n: number) => loop.step(name, () => (runs.push(`${name} ${n}`), n))
          const sides = await Promise.all([step('a', 1), step('b', 2), step('a', 3)])
          const outer = await loop.step('outer', async () => {
            const inner = await step('inner', 4)
            runs.push('outer')
            return inner * 10
          })
          return [...sides, outer, await step('a', 5)]
        }
      const before: string[] = []
      const thread = checkpointer.thread<Log>('a')
      await cutOff(thread, work(before))
      expect(before).toEqual(['a 1', 'b 2', 'a 3', 'inner 4', 'outer', 'a 5'])
      const after: string[] = []
      expect((await thread.run({}, work(after))).result).toEqual([1, 2, 3, 40, 5])
      expect(after).toEqual([])
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
    'branches that run side by side come to their steps in any order',
    on(fresh, async (checkpointer) => {
      const work =
        (slow: string): Work =>
        (loop) =>
          Promise.all(
            ['a', 'b'].map(async (name) => {
              await loop.step(name, () => name)
              if (name === slow) await new Promise((resolve) => setTimeout(resolve, 50))
              return loop.step(`${name} then`, () => `${name} then`)
            }),
          )
      const thread = checkpointer.thread<Log>('a')
      await cutOff(thread, async (loop) => {
        await loop.step('a', () => 'a')
        await loop.step('b', () => 'b')
        await loop.step('b then', () => 'b then')
      })
      expect((await thread.run({}, work('b'))).result).toEqual(['a then', 'b then'])
    }),
  )

  it(
    'a loop that has changed is told so, with both names, before it does anything',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      await cutOff(thread, (loop) => loop.step('book a flight', () => 1))
      const other = await rejection(
        thread.run({}, (loop) => loop.step('book a train', () => expect.unreachable())),
        'INVALID',
      )
      expect(other.message).toContain("'book a flight'")
      expect(other.message).toContain("'book a train'")
      const passed = await rejection(
        thread.run({}, (loop) => loop.save()),
        'INVALID',
      )
      expect(passed.message).toContain("'book a flight'")
      await rejection(
        thread.run({}, () => 'over'),
        'INVALID',
      )
      await rejection(
        thread.run({}, (loop) => loop.ask('?', { name: 'book a flight' })),
        'INVALID',
      )
      expect((await thread.run({ from: 1 }, (loop) => loop.step('book a train', () => 2))).result).toBe(2)
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
      expect((await thread.run({ retry: true }, work)).result).toBe('hello')
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

  it(
    'a checkpoint leaves the steps before it behind, and none may be under way',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const work: Work = async (loop) => {
        while (loop.state.done.length < 3) {
          loop.state.done.push(await loop.step('next', () => `${loop.state.done.length}`))
          await loop.save()
        }
      }
      await cutOff(thread, async (loop) => {
        loop.state.done.push(await loop.step('next', () => '0'))
        await loop.save()
        await loop.step('next', () => '1')
      })
      await thread.run({}, work)
      expect((await thread.load())?.state.done).toEqual(['0', '1', '2'])
      const open = await rejection(
        thread.run({}, async (loop) => {
          await begun(loop, 'open')
          await loop.save()
        }),
        'INVALID',
      )
      expect(open.message).toContain("'open'")
    }),
  )

  it(
    'an outcome that cannot be stored is an error, and stays one',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let runs = 0
      const work: Work = async (loop) => {
        const kept = loop.step('odd', () => (runs++, () => 0))
        await rejection(kept, 'INVALID')
        const thrown = loop.step('throws', () => {
          runs++
          throw Object.assign(new Error('odd'), { f: () => 0 })
        })
        await expect(thrown).rejects.toThrow('odd')
      }
      await cutOff(thread, work)
      await thread.run({}, work)
      expect(runs).toBe(2)
    }),
  )

  it(
    'names and options are looked at first',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      await thread.run({}, async (loop) => {
        const never = () => expect.unreachable()
        for (const name of ['', 7, undefined, 'x'.repeat(2000)])
          await rejection(loop.step(name as string, never), 'INVALID')
        const wrong = [
          { effect: 'big' },
          { retries: -1 },
          { timeout: 0 },
          { whenUnknown: 'dance' },
          { retrys: 1 },
        ]
        for (const options of wrong) await rejection(loop.step('x', never, options as object), 'INVALID')
        await rejection(loop.step('x', 1 as never), 'INVALID')
      })
      const names = ['__proto__', 'constructor', '\ud800', 'a b', ' ']
      const all: Work = (loop) => Promise.all(names.map((name) => loop.step(name, () => name)))
      await cutOff(thread, all)
      expect((await thread.run({}, all)).result).toEqual(names)
    }),
  )
}

/** Until the thread's run waits for somebody. */
export async function untilAsked(thread: Thread<Log>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const writes = (await thread.load())?.pendingWrites ?? []
    const open = writes.some(({ value, taskId }) => {
      const isQuestion = (value as { kind?: string } | undefined)?.kind === 'question'
      return isQuestion && !writes.some((each) => each.taskId === taskId && each.index === 1)
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect.unreachable('nobody was asked')
}
