import { DatabaseSync } from 'node:sqlite'
import { openCheckpointer, type CheckpointerError } from 'forkpoint'
import { nodeSqlite, sqliteSchema, sqliteStorage } from 'forkpoint/storage/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { newFile } from './node-file.ts'

function opened(path = ':memory:'): DatabaseSync {
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  return database
}

const put = (head: string, body?: Uint8Array) => ({
  puts: [{ table: 'meta', key: ['law', ''], head, ...(body ? { body } : {}) }] as const,
})

it('shows a person what a thread did, and a fork what it borrows', async () => {
  const database = opened()
  const checkpointer = await openCheckpointer({
    name: 'people',
    storage: sqliteStorage(nodeSqlite(database)),
  })
  onTestFinished(() => checkpointer.close())
  const origin = checkpointer.thread<{ n: number }>('a trip: to ü')
  for (const n of [1, 2, 3, 4]) await origin.save({ n }, { node: `step ${n}`, runId: 'r', label: `l${n}` })
  await origin.save({ n: 5 }, { parent: 2 })
  const fork = await origin.fork({ at: 3, as: 'fork' })
  await fork.save({ n: 40 })
  await fork.deleteCheckpoints([2])
  const history = database.prepare(
    'SELECT seq, parent, run, node, label, created FROM forkpoint_history WHERE thread = ? ORDER BY seq',
  )
  expect(history.all('a trip: to ü')).toMatchObject([
    { seq: 1, parent: null, run: 'r', node: 'step 1', label: 'l1', created: expect.any(Number) },
    { seq: 2, parent: 1 },
    { seq: 3, parent: 2 },
    { seq: 4, parent: 3 },
    { seq: 5, parent: 2, run: null, node: null },
  ])
  expect(history.all('fork').map((row) => [row['seq'], row['parent']])).toEqual([
    [1, null],
    [3, 2],
    [4, 3],
  ])
})

it('lets a row be read that is no JSON at all', async () => {
  const database = opened()
  const storage = sqliteStorage(nodeSqlite(database))
  await storage.commit('p', { puts: [{ table: 'checkpoints', key: ['a', 1], head: 'nothing {' }] })
  expect(database.prepare('SELECT lane, seq, parent, node FROM forkpoint_checkpoints').all()).toMatchObject([
    { lane: 'a', seq: 1, parent: null, node: null },
  ])
})

it.each(["'text'", '1e12'])(
  'gives of a row whose head is a blob and whose body is %s what no seal fits',
  async (body) => {
    const database = opened()
    const storage = sqliteStorage(nodeSqlite(database))
    await storage.commit('p', put('head'))
    database.exec(`UPDATE forkpoint_meta SET head = x'00', body = ${body}`)
    const [rows] = await storage.read('p', [{ table: 'meta', keys: [['law', '']] }])
    expect(rows).toMatchObject([{ key: ['law', ''], head: '', body: new Uint8Array() }])
  },
)

it('stands on tables that were made by hand, and makes none', async () => {
  const database = opened()
  const storage = sqliteStorage(nodeSqlite(database), { migrated: true })
  await expect(storage.commit('p', put(''))).rejects.toMatchObject({ code: 'FAILED' })
  for (const statement of sqliteSchema) database.exec(statement)
  expect(await storage.commit('p', put(''))).toMatchObject({ ok: true })
  await storage.ensureSchema()
})

it('refuses tables of a newer version, and does nothing to them', async () => {
  const database = opened()
  const storage = sqliteStorage(nodeSqlite(database))
  await storage.commit('p', put('old'))
  database.exec('INSERT INTO forkpoint_schema (version) VALUES (99)')
  const newer = sqliteStorage(nodeSqlite(database))
  await expect(newer.commit('p', put('new'))).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
  expect(database.prepare('SELECT head FROM forkpoint_meta').all()).toMatchObject([{ head: 'old' }])
})

it('tells a full database as QUOTA, with nothing written, and goes on when there is room', async () => {
  const { path, remove } = newFile()
  const database = opened(path)
  onTestFinished(remove)
  const storage = sqliteStorage(nodeSqlite(database))
  await storage.commit('p', put('first'))
  database.exec('PRAGMA max_page_count = 60')
  const large = new Uint8Array(1_000_000)
  const failure = await storage.commit('p', put('second', large)).catch((error: CheckpointerError) => error)
  expect(failure).toMatchObject({ code: 'QUOTA', outcome: 'none' })
  const [rows] = await storage.read('p', [{ table: 'meta', keys: [['law', '']] }])
  expect(rows).toMatchObject([{ head: 'first' }])
  database.exec('PRAGMA max_page_count = 10000')
  expect(await storage.commit('p', put('third', large))).toMatchObject({ ok: true })
})

it('waits for whoever writes, and is BLOCKED by one that never ends', { timeout: 60_000 }, async () => {
  const { path, remove } = newFile()
  const holder = opened(path)
  const database = opened(path)
  onTestFinished(remove)
  const storage = sqliteStorage(nodeSqlite(database))
  await storage.commit('p', put('first'))
  // Otherwise the library itself waits, and this whole thread with it.
  database.exec('PRAGMA busy_timeout = 0')
  holder.exec('BEGIN IMMEDIATE')
  const waiting = storage.commit('p', put('second'))
  await new Promise((resolve) => setTimeout(resolve, 200))
  holder.exec('ROLLBACK')
  expect(await waiting).toMatchObject({ ok: true })
  holder.exec('BEGIN IMMEDIATE')
  await expect(storage.commit('p', put('third'))).rejects.toMatchObject({ code: 'BLOCKED', outcome: 'none' })
  holder.exec('ROLLBACK')
  const [rows] = await storage.read('p', [{ table: 'meta', keys: [['law', '']] }])
  expect(rows).toMatchObject([{ head: 'second' }])
})

it('is CLOSED when its connection was closed by others', async () => {
  const database = new DatabaseSync(':memory:')
  const storage = sqliteStorage(nodeSqlite(database))
  await storage.commit('p', put('first'))
  database.close()
  await expect(storage.commit('p', put('second'))).rejects.toMatchObject({ code: 'CLOSED' })
})
