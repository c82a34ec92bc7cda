import { expect, it } from 'vitest'
import { expectStates, fill, listOf, range, talk, talks, type Fresh, type Talk } from '../ground.ts'
import { contentsOf, nothing, onTwo, until } from './two.ts'

/** What goes from one store when it was removed from the other. */
export function removalsOfBothLaws(fresh: Fresh): void {
  it(
    'what was removed on one side goes from the other, and does not come back',
    onTwo(fresh, async (here, there) => {
      const mine = here.thread<Talk>('t')
      await fill(mine, 10)
      await here.thread('gone').save({ n: 1 })
      await mine.save(talk(11), { runId: 'run' })
      await mine.save(talk(12))
      await here.sync(there)
      await mine.deleteCheckpoints([3, 7])
      await mine.deleteRun('run')
      await there.thread('t').prune({ keepLast: 6 })
      await there.thread('gone').delete()
      const { sent, received } = await here.sync(there)
      expect(received.removed).toBe(5 + 1)
      expect(sent.removed).toBeGreaterThan(0)
      for (const each of [here, there]) {
        await expectStates(each.thread<Talk>('t'), talks([8, 9, 10, 12]))
        expect((await listOf(each.threads())).map(({ id }) => id)).toEqual(['t'])
        expect((await each.verify()).problems).toEqual([])
      }
      const again = await here.sync(there)
      expect([again.sent, again.received]).toEqual([nothing, nothing])
    }),
  )

  it(
    'a fork that was deleted does not come back, and one that was made anew does',
    onTwo(fresh, async (here, there) => {
      const mine = here.thread<Talk>('t')
      await fill(mine, 4)
      await mine.fork({ as: 'fork' })
      await mine.fork({ at: 2, as: 'kept' })
      await here.sync(there)
      await here.thread('fork').delete()
      await here.thread('kept').deleteCheckpoints([1])
      for (const [one, other] of [
        [there, here],
        [here, there],
      ] as const) {
        await one.sync(other)
        for (const each of [here, there]) {
          expect((await listOf(each.threads())).map(({ id }) => id).sort()).toEqual(['kept', 't'])
          await expectStates(each.thread<Talk>('kept'), talks([2]))
          await expectStates(each.thread<Talk>('t'), talks(range(1, 4)))
        }
      }
      await there.thread<Talk>('t').fork({ as: 'fork' })
      await here.sync(there)
      await expectStates(here.thread<Talk>('fork'), talks(range(1, 4)))
      expect(await contentsOf(there)).toEqual(await contentsOf(here))
    }),
  )

  it(
    'a thread that is deleted where retention runs goes from the other too, all of it',
    onTwo(fresh, async (here, there, [ground]) => {
      const tidy = await ground.open({ retention: { keepLast: 3 }, onWarning: () => {} })
      await fill(there.thread<Talk>('t'), 20)
      await tidy.sync(there)
      const thread = tidy.thread<Talk>('t')
      await fill(thread, 40, 21)
      await until(async () => (await listOf(thread.history())).length < 20)
      await thread.delete()
      await here.sync(there)
      expect(await listOf(there.threads())).toEqual([])
      await there.sync(here)
      expect(await listOf(here.threads())).toEqual([])
    }),
  )

  it(
    'a thread that comes back under its old name reaches those who heard that it was deleted',
    onTwo(fresh, async (here, there) => {
      await fill(here.thread<Talk>('t'), 4)
      await here.sync(there)
      await here.thread<Talk>('t').copy('u')
      await here.thread('t').delete()
      await here.sync(there)
      expect((await listOf(there.threads())).map(({ id }) => id)).toEqual(['u'])
      await here.thread<Talk>('u').copy('t')
      await here.thread('u').delete()
      await here.sync(there)
      await fill(here.thread<Talk>('t'), 5, 5)
      await here.sync(there)
      await expectStates(there.thread<Talk>('t'), talks(range(1, 5)))
      expect(await contentsOf(there)).toEqual(await contentsOf(here))
    }),
  )

  it(
    'what retention lets go here stays there, and does not come back',
    onTwo(fresh, async (here, there, [ground]) => {
      await fill(here.thread<Talk>('t'), 20)
      await here.sync(there)
      const tidy = await ground.open({ retention: { keepLast: 5 }, onWarning: () => {} })
      const thread = tidy.thread<Talk>('t')
      await fill(thread, 40, 21)
      const count = async (): Promise<number> => (await listOf(thread.history())).length
      await until(async () => (await count()) < 30)
      const left = await count()
      const { sent, received } = await tidy.sync(there)
      expect([sent.removed, received]).toEqual([0, nothing])
      expect(await count()).toBeLessThanOrEqual(left)
      const kept = await listOf(there.thread<Talk>('t').history({ order: 'oldest' }))
      expect(kept.slice(0, 20).map(({ step }) => step)).toEqual(range(1, 20))
      expect((await there.thread<Talk>('t').load())?.state).toEqual(talk(40))
    }),
  )

  it(
    'a deletion takes what it has seen, and not what another has saved since',
    onTwo(fresh, async (here, there) => {
      await fill(here.thread<Talk>('t'), 3)
      await here.sync(there)
      await here.thread('t').delete()
      await fill(there.thread<Talk>('t'), 4, 4)
      await here.sync(there)
      for (const each of [here, there]) {
        const all = await listOf(each.thread<Talk>('t').history({ states: true }))
        expect(all.map(({ state }) => state)).toEqual([talk(4)])
        expect((await each.verify()).problems).toEqual([])
      }
    }),
  )

  it(
    'a thread that was deleted and begun anew is a new one on both sides',
    onTwo(fresh, async (here, there) => {
      await fill(here.thread<Talk>('t'), 3)
      await here.sync(there)
      await here.thread('t').delete()
      await fill(here.thread<Talk>('t'), 2, 1, 'anew')
      await here.sync(there)
      expect((await there.thread<Talk>('t').load())?.state).toEqual(talk(2, 'anew'))
      expect(await contentsOf(there)).toEqual(await contentsOf(here))
      expect(await there.thread('t').heads()).toHaveLength(1)
    }),
  )
}
