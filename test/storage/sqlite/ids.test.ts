import { DatabaseSync } from 'node:sqlite'
import type { Batch, Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { nodeSqlite, sqliteStorage } from 'forkpoint/storage/sqlite'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'

const IDS = ['', '!', '0', 'a', 'aa', 'b', 'm', 'z', 'zz', '~', '~~', '~~~']
const SEQS = 12
const LANES = ['k', 'l']

const lane = fc.constantFrom(...LANES)
const seq = fc.nat(SEQS)
const put = fc.record({ lane, seq, id: fc.option(fc.constantFrom(...IDS)) })
const batch = fc.record({
  // Whether an id is free that an earlier put of the same batch gives up, storages may differ in.
  puts: fc.array(put, { maxLength: 1 }),
  deletes: fc.array(fc.record({ lane, seq }), { maxLength: 2 }),
})

it('finds by id whatever memory finds, and refuses what it refuses, after any puts and deletions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 40 }), async (batches) => {
      const database = new DatabaseSync(':memory:')
      const both: readonly Storage[] = [memoryStorage(), sqliteStorage(nodeSqlite(database))]
      for (const { puts, deletes } of batches) {
        const asked: Batch = {
          deletes: deletes.map((gone) => ({ table: 'checkpoints', key: [gone.lane, gone.seq] })),
          puts: puts.map(({ lane, seq, id }, i) => ({
            table: 'checkpoints',
            key: [lane, seq],
            head: String(i),
            ...(id === null ? {} : { alias: [lane, id] }),
          })),
        }
        const [inMemory, inSqlite] = await Promise.all(both.map((storage) => storage.commit('p', asked)))
        expect(inSqlite?.ok).toBe(inMemory?.ok)
        const [expected, found] = await Promise.all(both.map(allById))
        expect(found).toEqual(expected)
      }
      database.close()
    }),
    { numRuns: 400 },
  )
}, 120_000)

async function allById(storage: Storage): Promise<unknown> {
  const aliases = LANES.flatMap((lane) => IDS.map((id) => [lane, id]))
  const found = await storage.read(
    'p',
    aliases.map((alias) => ({ table: 'checkpoints', alias }) as const),
  )
  return found.map((rows) => rows.map(({ key, head }) => ({ key, head })))
}

it('has no id in the index while ids ascend with seq, and finds one among many in few steps', async () => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const storage = sqliteStorage(nodeSqlite(database))
  const idOf = (seq: number): string => `id${String(seq).padStart(6, '0')}`
  const rows = Array.from({ length: 3000 }, (_, seq) => ({
    table: 'checkpoints' as const,
    key: ['l', seq],
    head: idOf(seq),
    alias: ['l', idOf(seq)],
  }))
  await storage.commit('p', { puts: rows })
  await storage.commit('p', { puts: rows.slice(100, 200) })
  await storage.commit('p', {
    deleteRanges: [{ table: 'checkpoints', from: ['l', 500], to: ['l', 1500] }],
  })
  const strays = database.prepare('SELECT count(*) AS n FROM forkpoint_checkpoints WHERE stray = 1')
  expect(strays.get()).toMatchObject({ n: 0 })
  for (const seq of [0, 1, 150, 499, 1500, 2999]) {
    const [found] = await storage.read('p', [{ table: 'checkpoints', alias: ['l', idOf(seq)] }])
    expect(found).toMatchObject([{ key: ['l', seq] }])
  }
  for (const id of [idOf(700), 'id', 'zz'])
    expect(await storage.read('p', [{ table: 'checkpoints', alias: ['l', id] }])).toEqual([[]])
})
