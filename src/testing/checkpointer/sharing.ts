import { expect, it } from 'vitest'
import type { CheckpointerEvent } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import {
  expectStates,
  fill,
  listOf,
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

/** Laws about two checkpointers on one database, as two tabs are. */
export function sharingLaws(fresh: Fresh): void {
  it(
    'two writers on one thread: no seq twice, none missing, all readable',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const saves = (checkpointer: Checkpointer, voice: string) =>
        Promise.all(
          range(1, 40).map(async (count) => {
            const { id, seq } = await checkpointer.thread<Talk>('a').save(talk(count, voice))
            return { voice, count, id, seq }
          }),
        )
      const saved = (await Promise.all([saves(one, 'one'), saves(two, 'two')])).flat()
      await seenByOthers(ground, one)
      await seenByOthers(ground, two)
      // One that was told no seq, so that none of those is refused as another's by now.
      const reader = (await ground.open()).thread<Talk>('a')
      const stored = await listOf(reader.history())
      const seqs = new Map(stored.map(({ id, seq }) => [id, seq]))
      if (!ground.isWrittenBehind) for (const { id, seq } of saved) expect(seqs.get(id)).toBe(seq)
      expect([...seqs.values()].sort((a, b) => a - b)).toEqual(range(1, 80))
      await expectStates(
        reader,
        new Map(saved.map(({ id, voice, count }) => [seqs.get(id) ?? 0, talk(count, voice)])),
      )
    }),
  )

  it(
    'of two writers with the same expect, exactly one goes through, each time',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      for (const round of range(1, 25)) {
        const expected = round === 1 ? null : round - 1
        const results = await Promise.allSettled(
          [one, two].map((each, i) =>
            each.thread<Talk>('a').save(talk(round, `w${i}`), { expect: expected }),
          ),
        )
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
          reason: { code: 'CONFLICT' },
        })
      }
      expect(await seqsOf(one.thread('a').history())).toHaveLength(25)
    }),
  )

  it(
    'each sees at once what the other did',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const [mine, theirs] = [one.thread<Talk>('a'), two.thread<Talk>('a')]
      await fill(mine, 3)
      await seenByOthers(ground, one)
      expect((await theirs.load())?.state).toEqual(talk(3))
      await theirs.save(talk(4))
      await seenByOthers(ground, two)
      expect((await mine.load())?.state).toEqual(talk(4))
      await theirs.prune({ keepLast: 1 })
      await expectStates(mine, talks([4]))
      await mine.save(talk(5))
      await seenByOthers(ground, one)
      await theirs.delete()
      expect(await mine.load()).toBeUndefined()
      await mine.save(talk(6))
      await seenByOthers(ground, one)
      expect((await theirs.load())?.state).toEqual(talk(6))
    }),
  )

  it(
    'an id used again for another state is never taken for the old one',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const [mine, theirs] = [one.thread<Talk>('a'), two.thread<Talk>('a')]
      await mine.save(talk(5, 'old'), { id: 'first' })
      await theirs.delete()
      await theirs.save(talk(3, 'new'), { id: 'first' })
      expect((await mine.load('first'))?.state).toEqual(talk(3, 'new'))
      await theirs.deleteCheckpoints(['first'])
      await theirs.save(talk(4, 'newer'), { id: 'first' })
      await mine.save(talk(6, 'old'))
      await seenByOthers(ground, one)
      expect((await theirs.load())?.state).toEqual(talk(6, 'old'))
      expect((await mine.load('first'))?.state).toEqual(talk(4, 'newer'))
    }),
  )

  it(
    'a thread made in both at once is one thread',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      await one.thread<Talk>('origin').save(talk(1))
      const results = await Promise.allSettled([
        one.thread<Talk>('origin').fork({ as: 'x' }),
        two.thread<Talk>('x').save(talk(1, 'own')),
      ])
      await seenByOthers(ground, two)
      expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
      expect((await listOf(one.threads())).filter(({ id }) => id === 'x')).toHaveLength(1)
      expect(await one.thread<Talk>('x').load()).toMatchObject((await two.thread<Talk>('x').load()) as object)
      expect((await one.verify()).problems).toEqual([])
    }),
  )

  it(
    'saves, forks, prunes and deletes of several at once leave every survivor whole',
    on(fresh, async (one, ground) => {
      const all = [one, await ground.open(), await ground.open()]
      await fill(one.thread<Talk>('a'), 20)
      const done = await Promise.allSettled(
        all.flatMap((checkpointer, i) => [
          fill(checkpointer.thread<Talk>('a'), 30, 21),
          checkpointer
            .thread<Talk>('a')
            .fork({ at: 5 + i, as: `fork ${i}` })
            .then((fork) => fill(fork, 12 + i, 6 + i)),
          checkpointer.thread<Talk>('a').prune({ keepLast: 12 }),
          checkpointer.thread<Talk>('a').deleteCheckpoints([19, 17 + i]),
        ]),
      )
      for (const result of done)
        if (result.status === 'rejected')
          expect(['NOT_FOUND', 'CONFLICT']).toContain((result.reason as { code: string }).code)
      for (const { id } of await listOf(one.threads())) {
        for await (const item of one.thread<Talk>(id).history({ states: true }))
          expect(item.state).toEqual(talk(item.state.count))
      }
      expect((await one.verify()).problems).toEqual([])
    }),
  )

  it(
    'subscribe hears every change once, whoever made it, until it is stopped',
    on(fresh, async (one) => {
      const events: CheckpointerEvent[] = []
      const stop = one.subscribe((event) => events.push(event))
      const thread = one.thread<Talk>('a')
      const { id } = await thread.save(talk(1))
      await thread.save(talk(2))
      await thread.putWrites(1, 't', [{ channel: 'c', value: 1 }])
      await thread.fork({ at: 1, as: 'f' })
      await thread.prune({ keepLast: 1 })
      await thread.delete()
      await expect
        .poll(() => events.map(({ type }) => type))
        .toEqual(['saved', 'saved', 'writes', 'forked', 'pruned', 'deleted'])
      expect(events[0]).toEqual({ type: 'saved', thread: 'a', namespace: '', seq: 1, id })
      expect(events[3]).toMatchObject({ thread: 'f', from: 'a', seq: 1 })
      stop()
      await thread.save(talk(1))
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(events).toHaveLength(6)
    }),
  )

  it(
    'flush waits for what was saved; close too; after it all is refused',
    on(fresh, async (one, ground) => {
      const thread = one.thread<Talk>('a')
      const saves = range(1, 10).map((count) => thread.save(talk(count)))
      await one.flush()
      expect(await seqsOf(thread.history())).toHaveLength(10)
      saves.push(thread.save(talk(11)))
      await one.close()
      await Promise.all(saves)
      await rejection(thread.save(talk(12)), 'CLOSED')
      await rejection(thread.load(), 'CLOSED')
      await rejection(listOf(thread.history()), 'CLOSED')
      await rejection(listOf(one.threads()), 'CLOSED')
      await one.close()
      expect((await (await ground.open()).thread<Talk>('a').load())?.state).toEqual(talk(11))
    }),
  )
}
