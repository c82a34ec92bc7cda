import { DatabaseSync } from 'node:sqlite'
import { openCheckpointer } from 'forkpoint'
import {
  libsql,
  nodeSqlite,
  sqliteStorage,
  type LibsqlClient,
  type SqliteStorage,
} from 'forkpoint/storage/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { listOf, rejection } from '../../../src/testing/checkpointer/ground.ts'
import { allRows } from '../../../src/storage/keys.ts'

const MB = 1024 * 1024

interface Answers {
  /** Bytes that one holds. */
  most?: number
  /** Called before each. */
  before?: (sql: string) => void
  /** Bytes that one may have, not to come too late. */
  inTime?: number
}

/** A client of a server of libSQL: over SQLite here, and what it gives in one answer is bounded. */
function server(answers: Answers): { client: LibsqlClient; sizes: number[] } {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const driver = nodeSqlite(database)
  const sizes: number[] = []
  const answered = (found: readonly (readonly unknown[])[]) => {
    const rows = found.flat() as { head?: string; body?: Uint8Array | null }[]
    const bytes = rows.reduce((sum, { head, body }) => sum + (head?.length ?? 0) + (body?.length ?? 0), 0)
    sizes.push(bytes)
    if (bytes > (answers.most ?? 10 * MB))
      throw Object.assign(new Error('Response is too large'), { code: 'RESPONSE_TOO_LARGE' })
    if (bytes > (answers.inTime ?? Number.POSITIVE_INFINITY))
      throw Object.assign(new Error('The stream has expired due to inactivity'), { code: 'STREAM_EXPIRED' })
    return found.map((each) => ({ rows: each }))
  }
  const given = ({ sql, args }: { sql: string; args: readonly never[] }) => ({ sql, params: args })
  const client: LibsqlClient = {
    protocol: 'http',
    async execute(statement) {
      answers.before?.(statement.sql)
      return answered([await driver.all(given(statement as never))])[0] as { rows: unknown[] }
    },
    async batch(statements, mode) {
      if (mode === 'read') answers.before?.(statements.map(({ sql }) => sql).join())
      return answered(
        await driver.batch(
          statements.map((each) => given(each as never)),
          mode,
        ),
      )
    },
  }
  return { client, sizes }
}

const large = (n: number, size = 2 * MB - 1000): Uint8Array => new Uint8Array(size).fill(n)

async function filled(storage: SqliteStorage, rows: number): Promise<void> {
  for (let n = 0; n < rows; n++)
    await storage.commit('p', {
      puts: [{ table: 'checkpoints', key: ['a', n], head: `${n}`, body: large(n) }],
    })
}

const rows = async (storage: SqliteStorage): Promise<(number | undefined)[][]> => {
  const found = await storage.read('p', [
    { table: 'checkpoints', ...allRows() },
    { table: 'meta', ...allRows() },
    { table: 'checkpoints', ...allRows(), reverse: true, limit: 2 },
  ])
  return found.map((each) => each.map(({ body, head }) => (body ? body[0] : Number(head))))
}

it('gives what one answer does not hold in several, of which none is large', async () => {
  const answers: Answers = {}
  const { client, sizes } = server(answers)
  const storage = sqliteStorage(libsql(client))
  await filled(storage, 9)
  await storage.commit('p', { puts: [{ table: 'meta', key: ['law', ''], head: '7' }] })
  sizes.length = 0
  expect(await rows(storage)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8], [7], [8, 7]])
  expect(Math.max(...sizes.slice(1))).toBeLessThan(4 * MB)
})

it('gives it as it was at one moment, whoever writes in between', async () => {
  const answers: Answers = {}
  const { client } = server(answers)
  const storage = sqliteStorage(libsql(client))
  const other = sqliteStorage(libsql(client))
  await filled(storage, 7)
  let reads = 0
  let writing = Promise.resolve<unknown>(undefined)
  answers.before = () => {
    if (++reads !== 4) return
    delete answers.before
    // One that was read before, one that was not yet, and one that goes.
    writing = other.commit('p', {
      puts: [0, 5].map((n) => ({ table: 'checkpoints', key: ['a', n], head: 'new', body: large(n + 100) })),
      deletes: [{ table: 'checkpoints', key: ['a', 6] }],
    })
  }
  expect((await rows(storage))[0]).toEqual([100, 1, 2, 3, 4, 105])
  expect(await writing).toMatchObject({ ok: true })
})

it('asks for less at a time where answers come too late, and says what to do where one row does', async () => {
  const answers: Answers = {}
  const { client } = server(answers)
  const storage = sqliteStorage(libsql(client))
  await filled(storage, 6)
  answers.inTime = 3 * MB
  expect((await rows(storage))[0]).toEqual([0, 1, 2, 3, 4, 5])
  answers.inTime = MB
  expect((await rejection(rows(storage), 'FAILED')).message).toContain('Ask from nearer')
})

it('gives a list that one answer does not hold, page by page', async () => {
  const answers: Answers = {}
  const { client } = server(answers)
  const storage = sqliteStorage(libsql(client))
  for (let n = 0; n < 40; n++)
    await storage.commit(`p${n}`, {
      puts: [{ table: 'threads', key: [`t${n}`, ''], head: 'h', rank: n % 7, body: large(n, 100_000) }],
    })
  const whole = await storage.list({ limit: 100 })
  answers.most = 400_000
  expect(await storage.list({ limit: 100 })).toEqual(whole)
  expect(await storage.list({ limit: Number.POSITIVE_INFINITY })).toEqual(whole)
  expect(await storage.list({ limit: 9 })).toEqual(whole.slice(0, 9))
  answers.most = 10_000
  await rejection(storage.list({ limit: 9 }), 'TOO_LARGE')
})

it('loads, exports and checks a state that one answer does not hold', async () => {
  const answers: Answers = { inTime: 3 * MB }
  const { client } = server(answers)
  const open = () => openCheckpointer({ name: 'large', storage: sqliteStorage(libsql(client)) })
  const [one, other] = [await open(), await open()]
  const state = { text: Array.from({ length: 2_000_000 }, (_, n) => n.toString(36)).join('') }
  await one.thread<typeof state>('t').save(state)
  expect((await other.thread<typeof state>('t').load())?.state).toEqual(state)
  expect((await listOf(other.export())).length).toBeGreaterThan(1)
  expect((await other.verify()).problems).toEqual([])
  for (const each of [one, other]) await each.close()
})
