import { expect, it } from 'vitest'
import {
  expectStates,
  fill,
  on,
  range,
  rejection,
  seenByOthers,
  seqsOf,
  talk,
  talks,
  type Fresh,
  type Talk,
} from './ground.ts'

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
        await seenByOthers(ground, two)
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
        await seenByOthers(ground, one)
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
        for (let count = 41; !isOver; count++) {
          await thread.save(talk(count % 50))
          // Over memory nothing else would ever get a turn in this thread, and verify gives way now and then.
          await new Promise((resolve) => setTimeout(resolve, 0))
        }
      })()
      for (const keepLast of [30, 20, 10, 5]) {
        expect((await thread.prune({ keepLast })).removed.length).toBeGreaterThan(0)
        expect((await one.verify()).problems).toEqual([])
      }
      isOver = true
      await writing
    }),
  )

  it(
    'a save whose base another has deleted keeps its place, and flush and close wait for it',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = one.thread<Talk>('a')
      await fill(thread, 2)
      await seenByOthers(ground, one)
      await two.thread('a').delete()
      const saves = [thread.save(talk(3)), thread.save(talk(4)), thread.save(talk(5))]
      await one.flush()
      expect(await seqsOf(two.thread('a').history({ order: 'oldest' }))).toEqual([1, 2, 3])
      const told = (await Promise.all(saves)).map(({ seq }) => seq)
      expect(told).toEqual(ground.isWrittenBehind ? [3, 4, 5] : [1, 2, 3])
      await two.thread('a').delete()
      const last = thread.save(talk(6))
      await one.close()
      expect((await last).seq).toBe(1)
      expect(await two.thread<Talk>('a').load()).toMatchObject({ seq: 1, state: talk(6) })
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

  it(
    'what is called in order happens in order, awaited or not',
    on(fresh, async (one) => {
      const thread = one.thread<Talk>('a')
      await fill(thread, 2)
      const [gone, saved] = await Promise.all([thread.delete(), thread.save(talk(9))])
      expect([gone, saved.seq]).toEqual([true, 1])
      await expectStates(thread, new Map([[1, talk(9)]]))
      const other = one.thread<Talk>('b')
      const [, removed] = await Promise.all([other.save(talk(1)), other.delete()])
      expect(removed).toBe(true)
      expect(await other.load()).toBeUndefined()
    }),
  )

  it(
    'pending writes beside a removal by another go whole or stay whole',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      for (const round of range(1, 12)) {
        const thread = one.thread<Talk>(`t${round}`)
        await fill(thread, 3)
        await Promise.allSettled([
          thread.deleteCheckpoints([1, 2]),
          two.thread(`t${round}`).putWrites(2, 'task', [{ channel: 'c', value: 'x'.repeat(30_000) }]),
        ])
        expect((await one.verify()).problems).toEqual([])
      }
    }),
  )

  it(
    'an id is free again when its checkpoint is gone, and told to be taken while a fork shows it',
    on(fresh, async (one) => {
      const thread = one.thread<Talk>('a')
      await thread.save(talk(1), { id: 'x' })
      await thread.save(talk(2))
      await thread.deleteCheckpoints(['x'])
      await thread.save(talk(3), { id: 'x' })
      expect((await thread.load('x'))?.state).toEqual(talk(3))
      const fork = await thread.fork()
      await thread.deleteCheckpoints(['x'])
      await rejection(thread.save(talk(4), { id: 'x' }), 'CONFLICT')
      expect((await fork.load('x'))?.state).toEqual(talk(3))
      expect((await thread.save(talk(5))).seq).toBe(4)
    }),
  )

  it(
    'a prune of side branches takes nothing below a gap, where it cannot tell',
    on(fresh, async (one) => {
      const thread = one.thread<Talk>('a')
      await fill(thread, 7)
      await thread.save(talk(8), { parent: 6 })
      await thread.deleteCheckpoints([4])
      await thread.prune({ branches: 'drop' })
      await expectStates(thread, talks([1, 2, 3, 5, 6, 8]))
    }),
  )

  it(
    'of two saves the one called later is stored later, also where the first stood on one that is refused',
    on(fresh, async (one) => {
      for (const round of range(0, 15)) {
        const thread = one.thread<Talk>(`x${round}`)
        await thread.save(talk(20))
        const ahead = thread.save(talk(21))
        const refused = rejection(thread.save(talk(22), { expect: null }), 'CONFLICT')
        const earlier = thread.save(talk(23))
        // What it brings is what the next save starts from.
        const looked = thread.load()
        if (round % 2 === 0) await looked
        else await after(round)
        const later = thread.save(talk(24))
        const [first, second] = await Promise.all([earlier, later, ahead, refused, looked])
        expect(second.seq).toBeGreaterThan(first.seq)
        expect((await thread.load())?.state).toEqual(talk(24))
      }
    }),
  )
}

/** So many turns of the queue of promises: what is under way gets on a little. */
async function after(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await Promise.resolve()
}
