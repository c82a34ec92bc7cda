import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint'
import Database from 'better-sqlite3'
import pg from 'pg'
import { startPostgres } from '../../../engines/support/postgres.ts'
import { nodePostgres, postgresStorage } from '../../../../src/storage/postgres.ts'
import { betterSqlite3, sqliteStorage } from '../../../../src/storage/sqlite.ts'
import type { Storage } from '../../../../src/storage/storage.ts'

/** A store of its own for each of those that are compared, in one engine. */
export interface Engine {
  readonly name: string
  /** Over the same data each time it is called with a name. */
  ours(name: string): Promise<Storage>
  bytes(name: string): Promise<number>
  bare(): Promise<Bare>
  rival(): Promise<{ readonly name: string; readonly saver: BaseCheckpointSaver; bytes(): Promise<number> }>
  end(): Promise<void>
}

/** One table with a key and a value, by the library itself. */
interface Bare {
  upsert(key: string, value: Uint8Array): Promise<void>
  read(key: string): Promise<Uint8Array>
}

export async function sqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-bench-'))
  const opened: Database.Database[] = []
  const open = (name: string): Database.Database => {
    const database = new Database(join(folder, `${name}.db`))
    opened.push(database)
    database.pragma('journal_mode = WAL')
    // This library has NORMAL otherwise, where a commit that was acknowledged is not on the disk.
    database.pragma('synchronous = FULL')
    return database
  }
  const bytesOf = (database: Database.Database): number =>
    Number(database.pragma('page_count', { simple: true })) *
    Number(database.pragma('page_size', { simple: true }))
  return {
    name: 'SQLite (better-sqlite3)',
    ours: async (name) => sqliteStorage(betterSqlite3(open(name))),
    bytes: async (name) => bytesOf(open(name)),
    async bare() {
      const database = open('bare')
      database.exec('CREATE TABLE bare (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID')
      const put = database.prepare('INSERT OR REPLACE INTO bare VALUES (?, ?)')
      const get = database.prepare('SELECT value FROM bare WHERE key = ?')
      return {
        upsert: async (key, value) => {
          database.exec('BEGIN IMMEDIATE')
          put.run(key, value)
          database.exec('COMMIT')
        },
        read: async (key) => (get.get(key) as { value: Uint8Array }).value,
      }
    },
    async rival() {
      const database = open('rival')
      return {
        name: 'SqliteSaver',
        saver: new SqliteSaver(database) as never,
        bytes: async () => bytesOf(database),
      }
    },
    async end() {
      for (const database of opened) database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export async function postgres(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-bench-'))
  chmodSync(folder, 0o711)
  const server = await startPostgres(folder)
  const pools = new Map<string, pg.Pool>()
  const admin = new pg.Pool({ ...address('postgres') })
  function address(database: string) {
    return { host: server.host, port: server.port, user: server.user, database, max: 1 }
  }
  /** A database each. */
  const pool = async (name: string): Promise<pg.Pool> => {
    const known = pools.get(name)
    if (known) return known
    await admin.query(`CREATE DATABASE ${name}`)
    const made = new pg.Pool(address(name))
    pools.set(name, made)
    return made
  }
  const bytes = async (name: string): Promise<number> =>
    Number((await admin.query('SELECT pg_database_size($1) AS size', [name])).rows[0].size) -
    Number((await admin.query(`SELECT pg_database_size('template1') AS size`)).rows[0].size)
  return {
    name: 'Postgres (pg)',
    ours: async (name) => postgresStorage(nodePostgres(await pool(name))),
    bytes,
    async bare() {
      const bare = await pool('bare')
      await bare.query('CREATE TABLE bare (key TEXT PRIMARY KEY, value BYTEA)')
      const text = 'INSERT INTO bare VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
      return {
        upsert: async (key, value) => {
          await bare.query({ name: 'put', text, values: [key, Buffer.from(value)] })
        },
        read: async (key) => (await bare.query('SELECT value FROM bare WHERE key = $1', [key])).rows[0].value,
      }
    },
    async rival() {
      const saver = new PostgresSaver(await pool('rival'))
      await saver.setup()
      return { name: 'PostgresSaver', saver: saver as never, bytes: () => bytes('rival') }
    },
    async end() {
      for (const each of [...pools.values(), admin]) await each.end()
      server.process.kill('SIGQUIT')
      await new Promise((resolve) => server.process.once('exit', resolve))
      rmSync(folder, { recursive: true })
    },
  }
}
