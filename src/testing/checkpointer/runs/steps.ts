import { expect, it } from 'vitest'
import { on, rejection, type Fresh } from '../ground.ts'
import { begun, cutOff, hangs, type Log, type Work } from './loops.ts'

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

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
    'a step that took its time, or is external, is stored when it resolves: a page killed while it draws loses nothing',
    on(fresh, async (checkpointer, ground) => {
      const other = (await ground.open()).thread<Log>('a')
      const journaled = async (): Promise<number> => (await other.load())?.pendingWrites.length ?? 0
      const seen: number[] = []
      await checkpointer.thread<Log>('a').run({}, async (loop) => {
        await loop.step('waits', () => pause())
        seen.push(await journaled())
        await loop.step('fails', () => pause().then(() => Promise.reject(new Error('no')))).catch(() => {})
        seen.push(await journaled())
        await loop.step('external', () => 'done', { effect: 'external' })
        seen.push(await journaled())
      })
      // An intent and an outcome each.
      expect(seen).toEqual([2, 4, 6])
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
    'a step that was decided about leaves behind what was begun within it',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      await cutOff(
        thread,
        (loop) =>
          new Promise<void>((resolve) => {
            const work = async ({ signal }: { readonly signal: AbortSignal }) => {
              await loop.step('inner', () => 'inner')
              resolve()
              return hangs(signal)
            }
            loop.step('outer', work).catch(() => {})
          }),
      )
      await thread.run({}, async (loop) => {
        const decided = { whenUnknown: () => ({ value: 'it was done' }) }
        loop.state.done.push(await loop.step('outer', () => expect.unreachable(), decided))
        await loop.save()
      })
      expect((await thread.load())?.state.done).toEqual(['it was done'])
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
        expect((await rejection(kept, 'INVALID')).path).toMatch(/^\$/)
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
