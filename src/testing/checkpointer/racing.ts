import { expect, it } from 'vitest'
import { expectStates, fill, on, range, seqsOf, talk, talks, type Fresh, type Talk } from './ground.ts'

/** Laws that were found by races which once broke them. */
export function racingLaws(fresh: Fresh): void {
  it(
    'deleting the last fork of a deleted thread spares a thread that takes its name meanwhile',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      for (const round of range(1, 12)) {
        const name = `x${round}`
        const origin = one.thread<Talk>(name)
        await fill(origin, 2)
        const fork = await origin.fork({ as: `fork ${name}` })
        await origin.delete()
        const other = (round % 2 ? one : two).thread<Talk>(name)
        await Promise.all([fork.delete(), other.save(talk(round))])
        expect((await origin.load())?.state).toEqual(talk(round))
      }
    }),
  )

  it(
    'a copy beside a deletion is there whole or refused',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      for (const round of range(1, 12)) {
        const name = `x${round}`
        await fill(one.thread<Talk>(name), 3)
        const [copied] = await Promise.allSettled([
          two.thread<Talk>(name).copy(`copy ${name}`),
          one.thread<Talk>(name).delete(),
        ])
        const copy = one.thread<Talk>(`copy ${name}`)
        if (copied.status === 'fulfilled') await expectStates(copy, talks([1, 2, 3]))
        else expect(copied.reason).toMatchObject({ code: 'NOT_FOUND' })
      }
    }),
  )

  it(
    'a prune gets its turn beside a steady writer, and verify sees no damage meanwhile',
    on(fresh, async (one) => {
      const thread = one.thread<Talk>('a')
      await fill(thread, 40)
      let isOver = false
      const writing = (async () => {
        for (let count = 41; !isOver; count++) await thread.save(talk(count % 50))
      })()
      for (const keepLast of [30, 20, 10, 5]) {
        await thread.prune({ keepLast })
        expect((await one.verify()).problems).toEqual([])
      }
      isOver = true
      await writing
      expect((await seqsOf(thread.history())).length).toBeLessThan(1000)
    }),
  )

  it(
    'a save whose base another has deleted keeps its place, and flush and close wait for it',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = one.thread<Talk>('a')
      await fill(thread, 2)
      await two.thread('a').delete()
      const saves = [thread.save(talk(3)), thread.save(talk(4)), thread.save(talk(5))]
      await one.flush()
      expect(await seqsOf(two.thread('a').history({ order: 'oldest' }))).toEqual([1, 2, 3])
      expect((await Promise.all(saves)).map(({ seq }) => seq)).toEqual([1, 2, 3])
      await two.thread('a').delete()
      const last = thread.save(talk(6))
      await one.close()
      expect((await last).seq).toBe(1)
      expect((await two.thread<Talk>('a').load())?.state).toEqual(talk(6))
    }),
  )

  it(
    'a history from an id goes on when that checkpoint is removed between two pages',
    on(fresh, async (one) => {
      const thread = one.thread<Talk>('a')
      await fill(thread, 130)
      const two = (await thread.load(2))?.id as string
      const seen: number[] = []
      for await (const { seq } of thread.history({ after: two })) {
        if (seq === 120) await thread.deleteCheckpoints([2])
        seen.push(seq)
      }
      expect(seen).toEqual(range(3, 130).reverse())
    }),
  )
}
