import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openCheckpointer, type Checkpointer, type CheckpointerError } from 'forkpoint'
import {
  nodePostgres,
  postgresSchema,
  postgresStorage,
  type PostgresDriver,
} from 'forkpoint/storage/postgres'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { EngineAtWork } from '../../support/engine.ts'
import { runExample } from '../../support/run-example.ts'
import { programs } from '../../support/programs.ts'
import { roundTripLaw } from '../../support/round-trips.ts'

const meta = (head: string) => ({ puts: [{ table: 'meta', key: ['law', ''], head }] }) as const
const LAW = [{ table: 'meta', keys: [['law', '']] }] as const

/** A pool over the server of the tests, in a schema of its own so that nothing of others is in it. */
export async function newPool(work: EngineAtWork, more: pg.PoolConfig = {}): Promise<pg.Pool> {
  const schema = `own_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Pool({ connectionString: work.server, max: 1 })
  await admin.query(`CREATE SCHEMA ${schema}`)
  await admin.end()
  const options = `-c search_path=${schema} ${more.options ?? ''}`
  const pool = new pg.Pool({ connectionString: work.server, ...more, options })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return pool
}

async function opened(pool: pg.Pool): Promise<Checkpointer> {
  const storage = postgresStorage(nodePostgres(pool))
  const checkpointer = await openCheckpointer({ name: `own ${Math.random()}`, storage })
  onTestFinished(() => checkpointer.close())
  return checkpointer
}

/** What is Postgres's own, beside the laws of every storage. */
export function ownLaws(work: EngineAtWork): void {
  test('the example of the documents makes what its query finds', async () => {
    process.env['DATABASE_URL'] = work.server
    await work.newDatabase()
    const document = await runExample('postgres.md')
    const query = /"(SELECT[^"]*)"/.exec(document.block('sh'))?.[1] ?? ''
    const psql = join(programs('postgres'), 'psql')
    const shown = execFileSync(psql, [work.server, '-At', '-c', query], { encoding: 'utf8' })
    expect(shown.trim().split('\n')).toEqual([
      expect.stringMatching(/^1\|\|r1\|plan\|20\d\d-/),
      expect.stringMatching(/^2\|1\|r1\|search\|20\d\d-/),
    ])
  })

  let counted: pg.Pool | undefined
  roundTripLaw(async () => {
    counted ??= await newPool(work)
    const driver = nodePostgres(counted)
    let calls = 0
    const counting: PostgresDriver = {
      query: (statement) => {
        calls++
        return driver.query(statement)
      },
    }
    const storage = postgresStorage(counting)
    await storage.ensureSchema()
    return { storage, calls: () => calls }
  })

  test('a person sees what a thread did, and a fork what it borrows', async () => {
    const pool = await newPool(work)
    const checkpointer = await opened(pool)
    const origin = checkpointer.thread<{ n: number }>('a trip: to ü')
    for (const n of [1, 2, 3, 4])
      await origin.save({ n }, { node: `step ${n}`, runId: 'r', label: `l${n}`, id: `no. ${n}` })
    await origin.save({ n: 5 }, { parent: 2 })
    const fork = await origin.fork({ at: 3, as: 'fork' })
    await fork.save({ n: 40 })
    await fork.deleteCheckpoints([2])
    const history = async (thread: string) =>
      (await pool.query('SELECT * FROM forkpoint_history WHERE thread = $1 ORDER BY seq', [thread])).rows
    expect(await history('a trip: to ü')).toMatchObject([
      {
        seq: '1',
        id: 'no. 1',
        parent: null,
        run: 'r',
        node: 'step 1',
        label: 'l1',
        created: expect.any(Date),
      },
      { seq: '2', id: 'no. 2', parent: '1' },
      { seq: '3', parent: '2' },
      { seq: '4', parent: '3' },
      { seq: '5', parent: '2', run: null, node: null },
    ])
    expect((await history('fork')).map(({ seq, parent }) => [seq, parent])).toEqual([
      ['1', null],
      ['3', '2'],
      ['4', '3'],
    ])
  })

  test('what Postgres cannot keep as text keeps no save out, and comes back as it was', async () => {
    const pool = await newPool(work)
    const checkpointer = await opened(pool)
    const names = [
      '\u0000',
      '\ud800',
      '\udc00x',
      `'); DROP TABLE forkpoint_threads; --`,
      '\\u0000',
      '$1',
      '%s',
    ]
    for (const name of names) {
      const thread = checkpointer.thread<{ text: string }>(name, { namespace: name })
      await thread.save({ text: name }, { node: name, label: name, runId: name, id: name, extra: { name } })
      expect(await thread.load({ label: name })).toMatchObject({
        id: name,
        node: name,
        state: { text: name },
      })
    }
    const { rows } = await pool.query('SELECT node FROM forkpoint_history')
    expect(rows.map(({ node }) => String(node)).sort()).toEqual(
      ['\ufffd', '\ufffd', '\ufffdx', ...names.slice(3)].sort(),
    )
    expect((await checkpointer.verify()).problems).toEqual([])
  })

  test('ids of the greatest length, in characters that take most room, do in every table', async () => {
    const pool = await newPool(work)
    const checkpointer = await opened(pool)
    const longest = (first: string): string =>
      first + Array.from({ length: 255 }, () => String.fromCharCode(0x3000 + Math.random() * 0x4000)).join('')
    const id = longest('a')
    const thread = checkpointer.thread<{ n: number }>(id)
    const saved = await thread.save({ n: 1 }, { id: longest('b') })
    await thread.putWrites(saved.id, longest('c'), [{ channel: 'c', value: 'x'.repeat(40_000) }])
    const fork = await thread.fork({ as: longest('d') })
    await fork.save({ n: 2 }, { id: longest('e') })
    const run = await thread.run({ runId: longest('f') }, async (loop) => {
      await loop.step(longest('g'), async () => 1)
      return 'done'
    })
    expect(run.result).toBe('done')
    expect((await thread.load(1))?.pendingWrites).toHaveLength(1)
    expect((await checkpointer.verify()).problems).toEqual([])
  })

  test('many who come to an empty database at once make its tables once', async () => {
    const pool = await newPool(work, { max: 10 })
    const storages = Array.from({ length: 10 }, () => postgresStorage(nodePostgres(pool)))
    await Promise.all(storages.map((storage, i) => storage.commit('p', meta(String(i)))))
    const { rows } = await pool.query('SELECT version FROM forkpoint_schema ORDER BY version')
    expect(rows).toEqual([{ version: 1 }, { version: 2 }])
  })

  test('a database of the first version gets what it lacks', async () => {
    const pool = await newPool(work)
    // The second version is a function and the word that it is there.
    for (const statement of postgresSchema.slice(0, -2)) await pool.query(statement)
    const storage = postgresStorage(nodePostgres(pool))
    expect(await storage.commit('p', meta('new'))).toMatchObject({ ok: true })
    expect((await storage.read('p', LAW))[0]).toMatchObject([{ head: 'new' }])
  })

  test('stands on tables that were made by hand, and refuses newer ones', async () => {
    const pool = await newPool(work)
    const storage = postgresStorage(nodePostgres(pool), { migrated: true })
    await expect(storage.commit('p', meta(''))).rejects.toMatchObject({ code: 'FAILED', outcome: 'none' })
    for (const statement of postgresSchema) await pool.query(statement)
    expect(await storage.commit('p', meta('old'))).toMatchObject({ ok: true })
    await storage.ensureSchema()
    await pool.query('INSERT INTO forkpoint_schema (version) VALUES (99)')
    const newer = postgresStorage(nodePostgres(pool))
    await expect(newer.commit('p', meta('new'))).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
    expect((await storage.read('p', LAW))[0]).toMatchObject([{ head: 'old' }])
  })

  test('with an isolation that could miss a conflict nothing is written, and it is said', async () => {
    for (const isolation of ['repeatable\\ read', 'serializable']) {
      const pool = await newPool(work, { options: `-c default_transaction_isolation=${isolation}` })
      const storage = postgresStorage(nodePostgres(pool))
      await expect(storage.commit('p', meta('x'))).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        outcome: 'none',
      })
      expect(await storage.partitions({ limit: 1 })).toEqual([])
    }
  })

  test('with a library that parses nothing all values come as they are', async () => {
    const types = { getTypeParser: () => (value: unknown) => value } as unknown as pg.CustomTypesConfig
    const pool = await newPool(work, { types })
    const storage = postgresStorage(nodePostgres(pool))
    const body = Uint8Array.from({ length: 300 }, (_, i) => i)
    const key = ['t', '']
    await storage.commit('p', { puts: [{ table: 'threads', key, head: 'h', body, rank: 1.5 }] })
    const refused = await storage.commit('p', { checks: [{ table: 'threads', key, version: 'x' }] })
    expect(refused).toEqual({ ok: false })
    expect((await storage.list({ limit: 1 }))[0]).toMatchObject({ key, body, rank: 1.5, partition: 'p' })
  })

  test('waits for whoever holds a family, and is BLOCKED by one that never lets go', async () => {
    const pool = await newPool(work, { options: '-c lock_timeout=200' })
    const storage = postgresStorage(nodePostgres(pool))
    await storage.commit('p', meta('first'))
    const holder = await pool.connect()
    const lock = `hashtextextended('forkpoint p', 0)`
    await holder.query(`SELECT pg_advisory_lock(${lock})`)
    const waiting = storage.commit('p', meta('second'))
    expect(await storage.commit('q', meta('beside'))).toMatchObject({ ok: true })
    setTimeout(() => void holder.query(`SELECT pg_advisory_unlock(${lock})`), 500)
    expect(await waiting).toMatchObject({ ok: true })
    await holder.query(`SELECT pg_advisory_lock(${lock})`)
    const blocked = await storage.commit('p', meta('third')).catch((error: CheckpointerError) => error)
    expect(blocked).toMatchObject({ code: 'BLOCKED', outcome: 'none' })
    await holder.query(`SELECT pg_advisory_unlock(${lock})`)
    holder.release()
    expect((await storage.read('p', LAW))[0]).toMatchObject([{ head: 'second' }])
  }, 60_000)
}
