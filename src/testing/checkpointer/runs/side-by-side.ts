import { expect, it } from 'vitest'
import { on, range, type Fresh } from '../ground.ts'
import type { Log } from './loops.ts'

/** More than one commit of some storages can tell of. */
const MANY = 160

/** Laws about steps of which very many are under way at a time. */
export function sideBySideLaws(fresh: Fresh): void {
  it(
    'steps that begin together all have their outcome, and none is run again',
    { timeout: 60_000 },
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const runs: number[] = []
      const end = await thread.run({ initial: { done: [] } }, async (loop) => {
        const work = (n: number) => loop.step(`step ${n}`, () => (runs.push(n), n))
        expect(await Promise.all(range(1, MANY).map(work))).toEqual(range(1, MANY))
        await loop.save()
        return Promise.all(range(1, MANY).map(work))
      })
      expect(end.result).toEqual(range(1, MANY))
      expect(runs).toHaveLength(2 * MANY)
    }),
  )

  it(
    'external steps that end together are done once, and nobody is asked about them',
    { timeout: 60_000 },
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('a')
      const runs: number[] = []
      let isDown = true
      const work = async (own: typeof thread) =>
        own.run({ initial: { done: [] } }, async (loop) => {
          let end = (): void => {}
          const isOver = new Promise<void>((resolve) => (end = resolve))
          const steps: Promise<number>[] = []
          for (const n of range(1, MANY))
            await new Promise<void>((begun) => {
              const pay = () => (runs.push(n), begun(), isOver.then(() => n))
              steps.push(loop.step(`pay ${n}`, pay, { effect: 'external' }))
              if (!isDown) begun()
            })
          end()
          const paid = await Promise.all(steps)
          if (isDown) throw new Error('down')
          return paid
        })
      await expect(work(thread)).rejects.toThrow('down')
      isDown = false
      const again = (await ground.open()).thread<Log>('a')
      expect((await work(again)).result).toEqual(range(1, MANY))
      expect(runs).toEqual(range(1, MANY))
    }),
  )
}
