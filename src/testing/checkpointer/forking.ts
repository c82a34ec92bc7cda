import { expect, it } from 'vitest'
import {
  expectStates,
  fill,
  listOf,
  on,
  range,
  rejection,
  seenByOthers,
  talk,
  talks,
  type Fresh,
  type Talk,
} from './ground.ts'

export function forkingLaws(fresh: Fresh): void {
  it(
    'a fork shows its origin up to the fork point, with the same seqs and ids, and goes on by itself',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 20)
      const fork = await origin.fork({ at: 12, as: 'fork', label: 'what if' })
      expect(fork.id).toBe('fork')
      const ids = async (thread: typeof fork) =>
        (await listOf(thread.history({ before: 13 }))).map(({ id }) => id)
      expect(await ids(fork)).toEqual(await ids(origin))
      expect(await fork.load()).toMatchObject({ thread: 'fork', seq: 12, state: talk(12) })
      const saved = await fork.save(talk(13, 'fork'))
      expect(saved.seq).toBe(13)
      expect(saved.parentId).toBe((await origin.load(12))?.id)
      await expectStates(fork, new Map([...talks(range(1, 12)), [13, talk(13, 'fork')]]))
      await expectStates(origin, talks(range(1, 20)))
      const summary = (await listOf(checkpointer.threads())).find(({ id }) => id === 'fork')
      expect(summary).toMatchObject({
        label: 'what if',
        forkOf: { thread: 'origin', namespace: '', seq: 12 },
      })
    }),
  )

  it(
    'without options it forks the head into a thread with an id and a label of its own',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 3)
      const fork = await origin.fork()
      expect(fork.id).not.toBe('origin')
      expect((await fork.load())?.state).toEqual(talk(3))
      expect((await listOf(checkpointer.threads({ where: ({ id }) => id === fork.id })))[0]?.label).toBe(
        'fork-of:origin',
      )
    }),
  )

  it(
    'a fork is of what is there now, whatever another has done to the thread meanwhile',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const [mine, theirs] = [one.thread<Talk>('a'), two.thread<Talk>('a')]
      const forked = async (as: string) => (await (await mine.fork({ as })).load())?.state
      await fill(mine, 3)
      await seenByOthers(ground, one)
      await theirs.save(talk(4))
      await seenByOthers(ground, two)
      expect(await forked('of four')).toEqual(talk(4))
      await theirs.prune({ keepLast: 1 })
      await rejection(mine.fork({ at: 2 }), 'NOT_FOUND')
      await theirs.fork({ as: 'taken' })
      await rejection(mine.fork({ as: 'taken' }), 'CONFLICT')
      await theirs.delete()
      await rejection(mine.fork(), 'NOT_FOUND')
      await theirs.save(talk(9))
      await seenByOthers(ground, two)
      expect(await forked('of nine')).toEqual(talk(9))
      expect((await one.verify()).problems).toEqual([])
    }),
  )

  it(
    'an edit becomes the first checkpoint of the fork, and of nothing else',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 5)
      const drafted = await origin.fork({ at: 3, edit: (draft) => void (draft.count = 99) })
      expect(await drafted.load()).toMatchObject({
        seq: 4,
        source: 'fork',
        label: 'fork-of:origin',
        step: 3,
        state: { ...talk(3), count: 99 },
      })
      const returned = await origin.fork({ at: { step: 2 }, edit: () => talk(7, 'new'), label: 'mine' })
      expect(await returned.load()).toMatchObject({ seq: 3, label: 'mine', state: talk(7, 'new') })
      expect((await returned.load())?.parentId).toBe((await origin.load(2))?.id)
      await expectStates(origin, talks(range(1, 5)))
    }),
  )

  it(
    'sibling forks of one checkpoint keep their own data',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 4)
      const twins = await Promise.all(['one', 'two', 'three'].map((as) => origin.fork({ at: 2, as })))
      await Promise.all(twins.map((twin) => fill(twin, 6, 3, twin.id)))
      for (const twin of twins)
        await expectStates(twin, new Map([...talks([1, 2]), ...talks(range(3, 6), twin.id)]))
      await expectStates(origin, talks(range(1, 4)))
    }),
  )

  it(
    'forks of forks, three deep, from borrowed and from own checkpoints',
    on(fresh, async (checkpointer, ground) => {
      const a = checkpointer.thread<Talk>('a')
      await fill(a, 6)
      const b = await a.fork({ at: 4, as: 'b' })
      await fill(b, 8, 5, 'b')
      const c = await b.fork({ at: 6, as: 'c' })
      await fill(c, 9, 7, 'c')
      const d = await c.fork({ at: 3, as: 'd' })
      await fill(d, 5, 4, 'd')
      await checkpointer.close()
      const again = await ground.open()
      const thread = (id: string) => again.thread<Talk>(id)
      await expectStates(thread('a'), talks(range(1, 6)))
      await expectStates(thread('b'), new Map([...talks(range(1, 4)), ...talks(range(5, 8), 'b')]))
      await expectStates(
        thread('c'),
        new Map([...talks(range(1, 4)), ...talks([5, 6], 'b'), ...talks(range(7, 9), 'c')]),
      )
      await expectStates(thread('d'), new Map([...talks(range(1, 3)), ...talks([4, 5], 'd')]))
      await thread('a').delete()
      await thread('b').prune({ keepLast: 1 })
      await expectStates(
        thread('c'),
        new Map([...talks(range(1, 4)), ...talks([5, 6], 'b'), ...talks(range(7, 9), 'c')]),
      )
      await thread('c').delete()
      await thread('b').delete()
      await expectStates(thread('d'), new Map([...talks(range(1, 3)), ...talks([4, 5], 'd')]))
      expect((await again.verify()).problems).toEqual([])
      await thread('d').delete()
      expect(await again.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
    }),
  )

  it(
    'nothing done to one is seen through the other, either way',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 30)
      const fork = await origin.fork({ at: 20, as: 'fork' })
      await fill(fork, 25, 21, 'fork')
      await origin.prune({ keepLast: 3 })
      await expectStates(fork, new Map([...talks(range(1, 20)), ...talks(range(21, 25), 'fork')]))
      await expectStates(origin, talks(range(28, 30)))
      await fork.deleteCheckpoints([1, 5, 20])
      await fork.prune({ keepLast: 10 })
      await expectStates(fork, new Map([...talks(range(15, 19)), ...talks(range(21, 25), 'fork')]))
      await origin.delete()
      await expectStates(fork, new Map([...talks(range(15, 19)), ...talks(range(21, 25), 'fork')]))
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'deleting a fork takes nothing from its origin, and leaves nothing behind',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 10)
      const before = (await checkpointer.usage()).checkpoints
      const fork = await origin.fork({ at: 5 })
      await fill(fork, 12, 6, 'fork')
      await fork.delete()
      await expectStates(origin, talks(range(1, 10)))
      expect((await checkpointer.usage()).checkpoints).toBe(before)
    }),
  )

  it(
    'an id freed by a delete starts a thread of its own, also beside old forks',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('a')
      await fill(origin, 4)
      const fork = await origin.fork({ at: 3, as: 'f' })
      await origin.delete()
      expect(await origin.load()).toBeUndefined()
      await fill(origin, 2, 1, 'new')
      await expectStates(origin, talks([1, 2], 'new'))
      await expectStates(fork, talks([1, 2, 3]))
      await fork.delete()
      await fill(fork, 1, 1, 'anew')
      await expectStates(fork, talks([1], 'anew'))
      await expectStates(origin, talks([1, 2], 'new'))
    }),
  )

  it(
    'refuses a checkpoint that is not there, and an id that is taken',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await rejection(origin.fork(), 'NOT_FOUND')
      await fill(origin, 3)
      const error = await rejection(origin.fork({ at: 99 }), 'NOT_FOUND')
      expect(error).toMatchObject({ thread: 'origin', seq: 99 })
      await rejection(origin.fork({ at: 99, edit: () => talk(1) }), 'NOT_FOUND')
      await rejection(origin.fork({ as: 'origin' }), 'CONFLICT')
      await checkpointer.thread<Talk>('taken').save(talk(1))
      await rejection(origin.fork({ as: 'taken' }), 'CONFLICT')
      await rejection(origin.copy('taken'), 'CONFLICT')
      await rejection(checkpointer.thread('nobody').copy('x'), 'NOT_FOUND')
      expect(await listOf(checkpointer.threads())).toHaveLength(2)
    }),
  )

  it(
    'a copy has all: namespaces, branches and pending writes; and is independent',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      const sub = checkpointer.thread<Talk>('origin', { namespace: 'sub' })
      await fill(origin, 3)
      await origin.save(talk(9, 'branch'), { parent: 1 })
      await fill(sub, 2, 1, 'sub')
      await origin.putWrites(4, 'task', [{ channel: 'c', value: new Date(7) }])
      const copy = await origin.copy('copy')
      const copiedSub = checkpointer.thread<Talk>('copy', { namespace: 'sub' })
      await origin.delete()
      await expectStates(copy, new Map([...talks([1, 2, 3]), [4, talk(9, 'branch')]]))
      await expectStates(copiedSub, talks([1, 2], 'sub'))
      expect((await copy.load())?.pendingWrites).toEqual([
        { taskId: 'task', index: 0, channel: 'c', value: new Date(7) },
      ])
      expect((await copy.save(talk(5))).seq).toBe(5)
      expect((await copiedSub.save(talk(3))).seq).toBe(3)
    }),
  )

  it(
    'a fork of a namespace forks that namespace',
    on(fresh, async (checkpointer) => {
      const sub = checkpointer.thread<Talk>('origin', { namespace: 'sub' })
      await fill(sub, 3, 1, 'sub')
      const fork = await sub.fork({ at: 2, as: 'fork' })
      expect(fork.namespace).toBe('sub')
      await fork.save(talk(3, 'fork'))
      await expectStates(fork, new Map([...talks([1, 2], 'sub'), ...talks([3], 'fork')]))
      expect(await checkpointer.thread('fork').load()).toBeUndefined()
      expect((await listOf(checkpointer.threads())).map(({ id }) => id).sort()).toEqual(['fork', 'origin'])
    }),
  )
}
