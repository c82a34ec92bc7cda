import { expect, it } from 'vitest'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Key, Put, Row, Storage, Table } from '../../storage/storage.ts'
import { escapeId } from '../../storage/keys.ts'
import { fill, on, range, rejection, seqsOf, talk, type Fresh, type Ground, type Talk } from './ground.ts'

/** A witness that misses what these laws take away is right to say so. */
const HEARS_OF_LOSSES = { onWarning: () => {} }

/** Damage, and what `verify` makes of it. Those that need the rows beneath are skipped where a ground shows none. */
export function mendingLaws(fresh: Fresh): void {
  const law = (
    name: string,
    test: (checkpointer: Checkpointer, storage: Storage, ground: Ground) => Promise<void>,
  ): void => {
    it(name, async (context) => {
      await on(fresh, async (checkpointer, ground) => {
        const storage = await ground.storage?.()
        if (!storage) return context.skip('this ground does not show its rows')
        try {
          await test(checkpointer, storage, ground)
        } finally {
          await storage.close()
        }
      })()
    })
  }

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

/** Eight checkpoints, the seventh of them a branch, and a fork with one of its own. */
async function made(checkpointer: Checkpointer): Promise<void> {
  const a = checkpointer.thread<Talk>('a')
  await fill(a, 6)
  await a.save(talk(7), { parent: 1, label: 'leaf' })
  await a.save(talk(8), { parent: 6 })
  const fork = await a.fork({ at: 4, as: 'fork' })
  await fork.save(talk(5, 'fork'))
  await a.putWrites(8, 'task', [{ channel: 'found', value: 1 }])
  await checkpointer.flush()
}

interface Found {
  readonly table: Table
  readonly key: Key
  readonly row: Row
  readonly facts: Record<string, unknown>
}

/** A row of `checkpoints`, in the lane that has the most. */
async function rowWhere(storage: Storage, wanted: (row: Found) => boolean): Promise<Found> {
  const [rows = []] = await storage.read('a', [{ table: 'checkpoints', from: [], to: ['\x7e'] }])
  const lanes = rows.map(({ key }) => key[0])
  const most = lanes.find((lane) => lanes.filter((each) => each === lane).length > rows.length / 2)
  const all = rows.map((row): Found => {
    const facts = JSON.parse(row.head.slice(row.head.indexOf('{'))) as Record<string, unknown>
    return { table: 'checkpoints', key: row.key, row, facts }
  })
  const found = all.find((row) => row.key[0] === most && wanted(row))
  if (!found) throw new Error('There is no such row.')
  return found
}

/** Puts it again with one character of its head changed. */
async function damage(storage: Storage, wanted: (row: Found) => boolean): Promise<void> {
  const { table, key, row, facts } = await rowWhere(storage, wanted)
  const put: Put = {
    table,
    key,
    head: row.head.replace('"createdAt":', '"createdAu":'),
    alias: [String(key[0]), escapeId(String(facts['id']))],
    ...(row.body ? { body: row.body } : {}),
  }
  await storage.commit('a', { puts: [put] })
}
