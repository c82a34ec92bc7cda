import { expect, it } from 'vitest'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { furnish, pictureOf } from './furnished.ts'
import {
  expectStates,
  fill,
  listOf,
  on,
  range,
  rejection,
  talk,
  talks,
  type Fresh,
  type Ground,
  type Talk,
} from './ground.ts'

/** Two stores that are brought together. */
export function syncingLaws(fresh: Fresh): void {
  it(
    'a sync brings everything over: states, fields, forks, namespaces and pending writes',
    onTwo(fresh, async (here, there) => {
      await furnish(here)
      const synced = await here.sync(there)
      expect(synced).toMatchObject({ diverged: [], conflicts: [], damaged: 0 })
      expect(synced.received).toEqual({ checkpoints: 0, removed: 0 })
      expect(await contentsOf(there)).toEqual(await contentsOf(here))
      expect((await there.verify()).problems).toEqual([])
      expect((await here.verify()).problems).toEqual([])
    }),
  )

  it(
    'what both have is sent once, and a second sync has nothing to do',
    onTwo(fresh, async (here, there) => {
      await fill(here.thread<Talk>('t'), 20)
      expect((await here.sync(there)).sent).toEqual({ checkpoints: 20, removed: 0 })
      const again = await here.sync(there)
      expect([again.sent.checkpoints, again.received.checkpoints]).toEqual([0, 0])
      // Until both know that the other knows; a keyframe written meanwhile is a change to be looked at.
      await until(async () => (await here.sync(there)).threads === 0)
      expect((await here.sync(there)).threads).toBe(0)
      await fill(there.thread<Talk>('t'), 22, 21)
      expect((await here.sync(there)).received.checkpoints).toBe(2)
      await expectStates(here.thread<Talk>('t'), talks(range(1, 22)))
    }),
  )

  it(
    'who alone went on is followed: no head is left behind, also after a branch',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 3)
      await here.sync(there)
      await mine.save(talk(4, 'branch'), { parent: 2 })
      await here.sync(there)
      expect((await theirs.load())?.state).toEqual(talk(4, 'branch'))
      expect(await theirs.heads()).toHaveLength(1)
      await theirs.save(talk(5))
      await there.sync(here)
      expect((await mine.load())?.state).toEqual(talk(5))
      expect(await mine.heads()).toHaveLength(1)
    }),
  )

  it(
    'two that both went on become branches of one thread: each keeps its head, and is shown the other',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 2)
      await here.sync(there)
      const a = await mine.save(talk(3, 'here'))
      const b = await theirs.save(talk(3, 'there'))
      expect((await here.sync(there)).diverged).toEqual(['t'])
      expect((await mine.load())?.id).toBe(a.id)
      expect((await theirs.load())?.id).toBe(b.id)
      expect((await mine.heads()).map(({ id }) => id)).toEqual([a.id, b.id])
      expect((await theirs.heads()).map(({ id }) => id)).toEqual([b.id, a.id])
      const [summary] = await listOf(here.threads())
      expect(summary?.otherHeads?.map(({ id }) => id)).toEqual([b.id])
      expect((await mine.load(b.id))?.state).toEqual(talk(3, 'there'))
      expect((await mine.load(b.id))?.parentId).toBe(a.parentId)
      expect((await here.verify()).problems).toEqual([])
    }),
  )

  it(
    'the head that one chooses is the head of both, and saves go on from it',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 2)
      await here.sync(there)
      await mine.save(talk(3, 'here'))
      const b = await theirs.save(talk(3, 'there'))
      await here.sync(there)
      await rejection(mine.chooseHead(1), 'NOT_FOUND')
      expect((await mine.chooseHead(b.id)).id).toBe(b.id)
      expect((await mine.load())?.state).toEqual(talk(3, 'there'))
      const [summary] = await listOf(here.threads())
      expect(summary?.otherHeads).toBeUndefined()
      expect((await here.verify()).problems).toEqual([])
      await here.sync(there)
      expect((await theirs.heads()).map(({ id }) => id)).toEqual([b.id])
      const next = await mine.save(talk(4, 'there'))
      expect(next.parentId).toBe(b.id)
      await there.sync(here)
      expect((await theirs.load())?.id).toBe(next.id)
      expect((await there.sync(here)).diverged).toEqual([])
      expect(await contentsOf(there)).toEqual(await contentsOf(here))
    }),
  )

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
    'a fork shows there what it shows here, in its order, whatever became of its origin',
    onTwo(fresh, async (here, there) => {
      const mine = here.thread<Talk>('t')
      await mine.save(talk(1, 'old'), { id: 'one' })
      await mine.save(talk(2, 'old'), { id: 'two' })
      await mine.fork({ as: 'of the old' })
      await mine.delete()
      await mine.save(talk(1, 'new'), { id: 'one' })
      await mine.save(talk(2, 'new'), { id: 'two' })
      const other = here.thread<Talk>('other')
      await fill(other, 6)
      await here.sync(there)
      await expectStates(there.thread<Talk>('of the old'), talks([1, 2], 'old'))
      await other.fork({ as: 'fork' })
      await there.thread('other').deleteCheckpoints([1, 2])
      await here.sync(there)
      await expectStates(there.thread<Talk>('fork'), talks(range(1, 6)))
      await there.thread('fork').prune({ keepLast: 2 })
      await there.sync(here)
      for (const each of [here, there]) {
        await expectStates(each.thread<Talk>('fork'), talks([5, 6]))
        expect((await each.verify()).problems).toEqual([])
      }
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
    "of two checkpoints under one id of the caller's each side keeps its own, also as its head, and is told each time",
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 2)
      await here.sync(there)
      await mine.save(talk(3, 'here'), { id: 'three' })
      await theirs.save(talk(3, 'there'), { id: 'three' })
      await theirs.save(talk(4, 'there'), { id: 'four' })
      for (let times = 0; times < 2; times++) {
        expect((await here.sync(there)).conflicts.map(({ id }) => id)).toContain('three')
        expect((await mine.load({ id: 'three' }))?.state).toEqual(talk(3, 'here'))
        expect((await mine.heads()).map(({ id }) => id)).toContain('three')
        expect((await theirs.load({ id: 'three' }))?.state).toEqual(talk(3, 'there'))
      }
      await theirs.deleteCheckpoints(['three'])
      await until(async () => {
        await here.sync(there)
        return (await theirs.load({ id: 'three' })) !== undefined
      })
      expect((await theirs.load({ id: 'three' }))?.state).toEqual(talk(3, 'here'))
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

  it(
    'one direction alone changes one side alone, and threads may be named',
    onTwo(fresh, async (here, there) => {
      await fill(here.thread<Talk>('a'), 2)
      await fill(here.thread<Talk>('b'), 2)
      await fill(there.thread<Talk>('c'), 2)
      await here.sync(there, { threads: 'a', direction: 'push' })
      expect((await listOf(there.threads())).map(({ id }) => id).sort()).toEqual(['a', 'c'])
      await here.sync(there, { direction: 'pull' })
      expect((await listOf(here.threads())).map(({ id }) => id).sort()).toEqual(['a', 'b', 'c'])
      expect((await listOf(there.threads())).map(({ id }) => id).sort()).toEqual(['a', 'c'])
      await here.sync(there)
      expect(await contentsOf(there)).toEqual(await contentsOf(here))
    }),
  )

  it(
    'what stands with a head comes along later too, and a run that runs elsewhere is no orphan here',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      const asked = mine.run({ initial: talk(1), runId: 'run' }, (loop) => loop.ask<string>('Go?'))
      await until(async () => (await mine.latestRun())?.status === 'waiting')
      await here.sync(there)
      expect(await theirs.latestRun()).toMatchObject({ runId: 'run', status: 'waiting' })
      await theirs.answer('yes')
      await here.sync(there)
      expect((await asked).result).toBe('yes')
      await here.sync(there)
      expect(await theirs.latestRun()).toMatchObject({ runId: 'run', status: 'finished' })
    }),
  )

  it(
    'a thread costs there about what it costs here, and so does a fork',
    onTwo(fresh, async (here, there) => {
      const mine = here.thread<Talk>('t')
      await fill(mine, 120)
      const fork = await mine.fork({ at: 100, as: 'fork' })
      await fill(fork, 103, 101, 'fork')
      await here.sync(there)
      const [a, b] = [await here.usage(), await there.usage()]
      expect(b.checkpoints).toBe(a.checkpoints)
      expect(b.bytes).toBeLessThan(a.bytes * 1.2)
    }),
  )

  it(
    'a sync that is cut off goes on when it is called again, and stores nothing twice',
    onTwo(fresh, async (here, there) => {
      await fill(here.thread<Talk>('t'), 150)
      const cut = new AbortController()
      const onProgress = ({ sent }: { sent: number }): void => {
        if (sent > 0) cut.abort(new Error('enough'))
      }
      await expect(here.sync(there, { signal: cut.signal, onProgress })).rejects.toThrow('enough')
      const some = (await there.usage()).checkpoints
      expect(some).toBeGreaterThan(0)
      expect(some).toBeLessThan(150)
      expect((await here.sync(there)).sent.checkpoints).toBe(150 - some)
      await expectStates(there.thread<Talk>('t'), talks(range(1, 150)))
    }),
  )
}

const nothing = { checkpoints: 0, removed: 0 }

export function onTwo(
  fresh: Fresh,
  test: (here: Checkpointer, there: Checkpointer, grounds: readonly [Ground, Ground]) => Promise<void>,
): () => Promise<void> {
  return on(fresh, async (here, ground) =>
    on(ground.other ?? fresh, (there, other) => test(here, there, [ground, other]))(),
  )
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500 && !(await condition()); tries++)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** All that is the same in two stores which have been brought together: seqs are each one's own. */
async function contentsOf(checkpointer: Checkpointer): Promise<unknown> {
  const { summaries, shown } = (await pictureOf(checkpointer)) as {
    summaries: {
      id: string
      label?: string
      forkOf?: { thread: string; id: string }
      head?: { id: string }
    }[]
    shown: Record<string, { id: string }[]>
  }
  const places = Object.entries(shown).map(([name, all]) => [
    name,
    all.map((each) => ({ ...each, seq: undefined })).sort((a, b) => (a.id < b.id ? -1 : 1)),
  ])
  return {
    threads: summaries.map(({ id, label, forkOf, head }) => ({
      id,
      label,
      forkOf: forkOf && [forkOf.thread, forkOf.id],
      head: head?.id,
    })),
    places,
  }
}
