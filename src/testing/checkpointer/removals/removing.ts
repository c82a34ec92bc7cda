import { expect, it } from 'vitest'
import {
  expectStates,
  fill,
  listOf,
  on,
  range,
  rejection,
  seqsOf,
  talk,
  talks,
  type Fresh,
  type Talk,
} from '../ground.ts'

export function removingLaws(fresh: Fresh): void {
  it(
    'prune keeps the newest, each of them whole',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 100)
      const gone = await thread.prune({ keepLast: 7 })
      expect(gone.removed.map(({ seq }) => seq)).toEqual(range(1, 93))
      expect(gone).toMatchObject({ kept: 7 })
      expect(gone.bytes).toBeGreaterThan(0)
      await expectStates(thread, talks(range(94, 100)))
      expect((await thread.save(talk(101))).seq).toBe(101)
      await checkpointer.close()
      await expectStates((await ground.open()).thread<Talk>('a'), talks(range(94, 101)))
    }),
  )

  it(
    'a dry run tells the same, and takes nothing',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 12)
      const told = await thread.prune({ keepLast: 2, dryRun: true })
      expect(told.bytes).toBeGreaterThan(0)
      expect((await checkpointer.usage()).checkpoints).toBe(12)
      // Not the bytes: a chain may be rewritten meanwhile.
      const { removed, kept } = await thread.prune({ keepLast: 2 })
      expect({ removed, kept }).toEqual({ removed: told.removed, kept: told.kept })
      expect((await checkpointer.usage()).checkpoints).toBe(2)
    }),
  )

  it(
    'the head always stays',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 3)
      await thread.prune({ keepLast: 0 })
      expect(await seqsOf(thread.history())).toEqual([3])
      await thread.prune({ olderThan: new Date(Date.now() + 60_000) })
      await thread.prune({ maxBytes: 0 })
      await expectStates(thread, talks([3]))
    }),
  )

  it(
    'the label that a fork gets by itself holds nothing, one that is given does',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await origin.save(talk(1))
      const forked = async (label: object) => {
        const fork = await origin.fork({ ...label, edit: () => talk(2) })
        await fork.save(talk(3))
        await fork.save(talk(4))
        await fork.prune({ keepLast: 1, keepLabelled: true })
        return fork
      }
      await expectStates(await forked({}), talks([4]))
      await expectStates(await forked({ label: 'mine' }), talks([2, 4]))
    }),
  )

  it(
    'every rule: age, every nth, labels, a ceiling in bytes',
    on(fresh, async (checkpointer) => {
      const named = async (id: string) => {
        const thread = checkpointer.thread<Talk>(id)
        for (const i of range(1, 12)) await thread.save(talk(i), i === 2 || i === 5 ? { label: `l${i}` } : {})
        return thread
      }
      const every = await named('every')
      await every.prune({ keepLast: 2, keepEvery: 5, keepLabelled: true })
      await expectStates(every, talks([2, 5, 10, 11, 12]))
      const age = await named('age')
      await age.prune({ olderThan: 3_600_000 })
      expect(await seqsOf(age.history())).toHaveLength(12)
      await age.prune({ olderThan: new Date(Date.now() + 1000), keepLast: 4 })
      await expectStates(age, talks(range(9, 12)))
      const bytes = await named('bytes')
      await bytes.prune({ maxBytes: 2500 })
      const left = await seqsOf(bytes.history())
      expect(left.length).toBeGreaterThan(1)
      expect(left.length).toBeLessThan(12)
      await expectStates(bytes, talks([...left].reverse()))
    }),
  )

  it(
    'ancestors and branches: kept or dropped as asked',
    on(fresh, async (checkpointer) => {
      const grown = async (id: string) => {
        const thread = checkpointer.thread<Talk>(id)
        await fill(thread, 4)
        await thread.save(talk(5), { parent: 2 })
        await thread.save(talk(6), { parent: 4 })
        return thread
      }
      const ancestors = await grown('ancestors')
      await ancestors.prune({ keepLast: 1, ancestors: 'keep' })
      await expectStates(ancestors, talks([1, 2, 3, 4, 6]))
      const tips = await grown('tips')
      await tips.prune({ keepLast: 1, branches: 'keep' })
      await expectStates(tips, talks([5, 6]))
      const straight = await grown('straight')
      await straight.prune({ branches: 'drop' })
      await expectStates(straight, talks([1, 2, 3, 4, 6]))
    }),
  )

  it(
    'any one checkpoint can go, and all others stay whole',
    on(fresh, async (checkpointer) => {
      for (const dropped of [1, 2, 5, 8, 9]) {
        const thread = checkpointer.thread<Talk>(`without ${dropped}`)
        await fill(thread, 9)
        const gone = await thread.deleteCheckpoints([dropped])
        expect(gone.removed).toEqual([{ namespace: '', seq: dropped }])
        await expectStates(thread, talks(range(1, 9).filter((seq) => seq !== dropped)))
      }
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'whatever goes, or does not, what is left is told: of the namespace, and for a run of the thread',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      const lane = checkpointer.thread<Talk>('a', { namespace: 'lane' })
      for (const i of range(1, 5)) await thread.save(talk(i), { runId: i > 3 ? 'r' : 'other' })
      for (const i of range(1, 3)) await lane.save(talk(i), { runId: 'other' })
      expect(await thread.deleteCheckpoints([99])).toMatchObject({ removed: [], kept: 5 })
      expect(await lane.deleteCheckpoints([99, 2])).toMatchObject({ kept: 2 })
      expect(await thread.deleteRun('none')).toMatchObject({ removed: [], kept: 7 })
      const gone = await thread.deleteRun('r')
      expect(gone.removed).toHaveLength(2)
      expect(gone).toMatchObject({ kept: 5 })
      expect(await checkpointer.thread('b').deleteRun('r')).toMatchObject({ removed: [], kept: 0 })
      await expectStates(thread, talks(range(1, 3)))
      await expectStates(lane, talks([1, 3]))
    }),
  )

  it(
    'the base of several branches can go',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 3)
      for (const i of range(4, 7)) await thread.save(talk(i), { parent: 2 })
      await thread.deleteCheckpoints([2, 1])
      await expectStates(thread, talks(range(3, 7)))
    }),
  )

  it(
    'every other checkpoint can go, in any order',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 24)
      for (const seq of [24, 2, 12, 6, 20, 8, 4, 10, 22, 14, 16, 18]) await thread.deleteCheckpoints([seq])
      await expectStates(thread, talks(range(1, 23).filter((seq) => seq % 2 === 1)))
    }),
  )

  it(
    'a seq is never used twice, not even after the head was deleted',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 3)
      await thread.deleteCheckpoints([3])
      expect((await thread.load())?.state).toEqual(talk(2))
      expect((await thread.save(talk(4))).seq).toBe(4)
      await thread.deleteCheckpoints([1, 2, 4])
      expect(await thread.load()).toBeUndefined()
      expect(await listOf(checkpointer.threads())).toEqual([])
      await checkpointer.close()
      const again = (await ground.open()).thread<Talk>('a')
      expect((await again.save(talk(5))).seq).toBe(5)
      await expectStates(again, talks([5]))
    }),
  )

  it(
    'a thread that was deleted starts again at seq 1, with ids that were never there',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      const before = await thread.save(talk(1))
      await thread.delete()
      const after = await thread.save(talk(2), { expect: null })
      expect(after.seq).toBe(1)
      expect(after.id).not.toBe(before.id)
      await expect(thread.save(talk(3), { expect: before.id })).rejects.toMatchObject({ code: 'CONFLICT' })
    }),
  )

  it(
    'unknown refs are passed over; ids and seqs may be mixed',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 4)
      const two = (await thread.load(2))?.id as string
      const gone = await thread.deleteCheckpoints([two, 3, 99, 'nobody'])
      expect(gone.removed.map(({ seq }) => seq)).toEqual([2, 3])
      expect((await thread.deleteCheckpoints([2, 3])).removed).toEqual([])
      expect((await checkpointer.thread('none').deleteCheckpoints([1])).removed).toEqual([])
      await expectStates(thread, talks([1, 4]))
    }),
  )

  it(
    'a run goes with all that it saved, in every namespace',
    on(fresh, async (checkpointer) => {
      const root = checkpointer.thread<Talk>('a')
      const sub = checkpointer.thread<Talk>('a', { namespace: 'sub' })
      for (const i of range(1, 6)) await root.save(talk(i), { runId: i % 2 ? 'odd' : 'even' })
      for (const i of range(1, 2)) await sub.save(talk(i), { runId: i % 2 ? 'odd' : 'even' })
      const gone = await root.deleteRun('odd')
      expect(gone.removed).toHaveLength(4)
      await expectStates(root, talks([2, 4, 6]))
      await expectStates(sub, talks([2]))
      expect((await root.deleteRun('nobody')).removed).toEqual([])
    }),
  )

  it(
    'a deleted thread is gone with its namespaces, and nothing is left of it',
    on(fresh, async (checkpointer) => {
      const root = checkpointer.thread<Talk>('a')
      const sub = checkpointer.thread<Talk>('a', { namespace: 'sub' })
      await fill(root, 5)
      await fill(sub, 5)
      await root.putWrites(5, 't', [{ channel: 'c', value: 1 }])
      expect(await root.delete()).toBe(true)
      expect(await root.delete()).toBe(false)
      expect(await root.load()).toBeUndefined()
      expect(await sub.load()).toBeUndefined()
      expect(await listOf(checkpointer.threads())).toEqual([])
      expect(await checkpointer.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
      await fill(root, 2)
      await expectStates(root, talks([1, 2]))
    }),
  )

  it(
    'a save right after a prune, from a state that the prune has taken, is whole',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 10)
      await thread.load(4)
      await thread.prune({ keepLast: 2 })
      await rejection(thread.save(talk(11), { parent: 4 }), 'NOT_FOUND')
      await thread.save(talk(12))
      await thread.deleteCheckpoints([10, 9, 11])
      await thread.save(talk(13))
      expect((await thread.load())?.state).toEqual(talk(13))
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )
}
