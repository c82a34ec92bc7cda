import { expect, it } from 'vitest'
import { damage, HEARS_OF_LOSSES, made, onRows, rowWhere } from './rows.ts'
import { on, range, rejection, seqsOf, talk, type Fresh, type Talk } from '../ground.ts'

/** Damage, and what `verify` makes of it. Those that need the rows beneath are skipped where a ground shows none. */
export function mendingLaws(fresh: Fresh): void {
  const law = onRows(fresh)

  it(
    'a store without a fault is clean, and a repair leaves it as it is',
    on(fresh, async (checkpointer) => {
      await made(checkpointer)
      const report = await checkpointer.verify({ repair: true })
      expect(report).toMatchObject({ problems: [], acts: [] })
      expect(report.checked).toBeGreaterThan(20)
      expect(await seqsOf(checkpointer.thread('a').history({ order: 'oldest' }))).toEqual(range(1, 8))
    }),
  )

  law(
    'a damaged checkpoint takes what stands on it alone, and a repair keeps the rest',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await damage(storage, ({ facts }) => facts['seq'] === 5)
      const reader = await ground.open(HEARS_OF_LOSSES)
      const a = reader.thread<Talk>('a')
      for (const seq of range(1, 4)) expect((await a.load(seq))?.state).toEqual(talk(seq))
      await rejection(a.load(5), 'CORRUPT')
      const { problems } = await reader.verify()
      expect(
        problems.filter(({ thread }) => thread === 'a').map(({ kind, seq }) => [kind, seq]),
      ).toContainEqual(['damaged', 5])
      expect(problems.filter(({ thread }) => thread === 'fork')).toEqual([])
      const plan = await reader.verify({ repair: 'plan' })
      expect((await reader.verify()).problems).toEqual(problems)
      expect((await reader.verify({ repair: true })).acts).toEqual(plan.acts)
      expect((await reader.verify()).problems).toEqual([])
      const kept = await seqsOf(a.history({ order: 'oldest' }))
      expect(kept.slice(0, 4)).toEqual(range(1, 4))
      for (const seq of kept) expect((await a.load(seq))?.state).toEqual(talk(seq))
      expect((await reader.thread<Talk>('fork').load())?.state).toEqual(talk(5, 'fork'))
      expect((await a.save(talk(9))).seq).toBe(9)
    },
  )

  law(
    'a thread whose row is gone is made again with all its states',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await storage.commit('a', { deletes: [{ table: 'threads', key: ['fork', ''] }] })
      const reader = await ground.open(HEARS_OF_LOSSES)
      const { problems } = await reader.verify()
      expect(problems).toContainEqual(
        expect.objectContaining({ kind: 'missing', table: 'threads', thread: 'fork' }),
      )
      await reader.verify({ repair: true })
      expect((await reader.verify()).problems).toEqual([])
      const fork = reader.thread<Talk>('fork')
      expect(await seqsOf(fork.history({ order: 'oldest' }))).toEqual(range(1, 5))
      expect((await fork.load())?.state).toEqual(talk(5, 'fork'))
      expect((await fork.load(4))?.state).toEqual(talk(4))
    },
  )

  law('a checkpoint that vanished without a trace is missed', async (checkpointer, storage, ground) => {
    await made(checkpointer)
    const leaf = await rowWhere(storage, ({ facts }) => facts['label'] === 'leaf')
    await storage.commit('a', { deletes: [leaf] })
    const reader = await ground.open(HEARS_OF_LOSSES)
    expect((await reader.verify()).problems).toMatchObject([{ kind: 'missing', thread: 'a', seq: 7 }])
    expect((await reader.verify({ repair: true })).acts).toMatchObject([{ act: 'accepted', seq: 7 }])
    expect((await reader.verify()).problems).toEqual([])
  })
}
