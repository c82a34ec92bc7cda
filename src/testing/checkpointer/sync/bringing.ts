import { expect, it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import { escapeId } from '../../../storage/keys.ts'
import type { Put, Storage } from '../../../storage/storage.ts'
import { rowWhere } from '../damage/rows.ts'
import { putBody, rowsIn } from '../stored-rows.ts'
import { furnish } from '../furnished.ts'
import { expectStates, fill, listOf, range, talk, talks, type Fresh, type Talk } from '../ground.ts'
import { contentsOf, nothing, onTwo, until } from './two.ts'

/** What one store gets of the other. */
export function bringingLaws(fresh: Fresh): void {
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

  /** Two stores, and the rows of the first, on a ground that shows them. */
  const onRows = (
    context: { skip(reason: string): void },
    work: (here: Checkpointer, there: Checkpointer, storage: Storage) => Promise<void>,
  ): Promise<void> =>
    onTwo(fresh, async (here, there, [ground]) => {
      const storage = await ground.storage?.()
      if (!storage) return context.skip('this ground does not show its rows')
      try {
        await work(here, there, storage)
      } finally {
        await storage.close()
      }
    })()

  it('what cannot be read is told each time, and comes over once it can be', async (context) => {
    await onRows(context, async (here, there, storage) => {
      const a = here.thread<Talk>('a')
      await fill(a, 6)
      await here.flush()
      const { key, row, facts } = await rowWhere(storage, (each) => each.facts['seq'] === 6)
      const alias = [String(key[0]), escapeId(String(facts['id']))]
      const put = (head: string): Put => ({
        table: 'checkpoints',
        key,
        head,
        alias,
        ...(row.body ? { body: row.body } : {}),
      })
      const unreadable = [
        row.head.replace('"createdAt":', '"createdAu":'),
        row.head.slice(0, -1),
        // Of a later version.
        row.head.replace(/^\d+\.[^.]+/, '999.00000000'),
      ]
      for (const head of unreadable) {
        await storage.commit('a', { puts: [put(head)] })
        for (let times = 0; times < 2; times++) expect((await here.sync(there)).damaged).toBe(1)
      }
      await storage.commit('a', { puts: [put(row.head)] })
      expect(await here.sync(there)).toMatchObject({ damaged: 0, sent: { checkpoints: 1 } })
      await expectStates(there.thread<Talk>('a'), talks(range(1, 6)))
      expect(await here.sync(there)).toMatchObject({ damaged: 0, sent: nothing })
    })
  })

  it('a state, or a pending write, that is none does not come over, and is told each time', async (context) => {
    await onRows(context, async (here, there, storage) => {
      const a = here.thread<Talk>('a')
      await fill(a, 6)
      await a.putWrites(2, 'task', [{ channel: 'found', value: 'something' }])
      await here.flush()
      const all = await rowsIn(storage, 'checkpoints')
      const rows = [
        ['checkpoints', all.find(({ key }) => key[1] === 4)],
        ['writes', (await rowsIn(storage, 'writes'))[0]],
      ] as const
      for (const [table, row] of rows)
        if (row?.body)
          await putBody(
            storage,
            table,
            row,
            row.body.map(() => 0x7b),
          )
      // With the second what stands with it; with the fourth what stands on it.
      for (let times = 0; times < 2; times++) expect((await here.sync(there)).damaged).toBe(4)
      const shown = await listOf(there.thread<Talk>('a').history({ states: true, order: 'oldest' }))
      expect(shown.map(({ state }) => state)).toEqual([talk(1), talk(3)])
      expect((await there.verify()).problems).toEqual([])
      for (const [table, row] of rows) if (row?.body) await putBody(storage, table, row, row.body)
      expect(await here.sync(there)).toMatchObject({ damaged: 0, sent: { checkpoints: 4 } })
      expect((await there.thread<Talk>('a').load())?.state).toEqual(talk(6))
    })
  })

  it('a thread that cannot be read keeps no other from being brought over', async (context) => {
    await onTwo(fresh, async (here, there, [ground]) => {
      const storage = await ground.storage?.()
      if (!storage) return context.skip('this ground does not show its rows')
      try {
        await fill(here.thread<Talk>('a'), 3)
        await here.sync(there)
        const [listed] = await storage.list({ limit: 1 })
        if (!listed) throw new Error('There is no thread.')
        const { partition, key, head, rank } = listed
        const put = (wrong: string): Put => ({ table: 'threads', key, head: wrong, rank })
        for (const [i, wrong] of [head.slice(0, -1), head.replace(/^\d+\.[^.]+/, '999.00000000')].entries()) {
          await storage.commit(partition, { puts: [put(wrong)] })
          await fill(here.thread<Talk>(`of here ${i}`), 2)
          await fill(there.thread<Talk>(`of there ${i}`), 2)
          for (const [one, other] of [
            [here, there],
            [there, here],
          ] as const)
            expect((await one.sync(other)).damaged).toBeGreaterThan(0)
          await expectStates(there.thread<Talk>(`of here ${i}`), talks([1, 2]))
          await expectStates(here.thread<Talk>(`of there ${i}`), talks([1, 2]))
          await expectStates(there.thread<Talk>('a'), talks(range(1, 3)))
        }
        await storage.commit(partition, { puts: [put(head)] })
      } finally {
        await storage.close()
      }
      const again = await ground.open()
      expect(await again.sync(there)).toMatchObject({ damaged: 0 })
      await expectStates(again.thread<Talk>('a'), talks(range(1, 3)))
    })()
  })
}
