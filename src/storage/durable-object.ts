import type { Limits } from './storage.ts'
import type { SqliteStorage } from './sqlite.ts'
import type { SqliteDriver, SqlRow, Statement } from './sqlite/driver.ts'
import { SqlStorage } from './sqlite/sql-storage.ts'

/** Of `ctx.storage` in an object that is backed by SQLite, what is used. */
export interface DurableObjectSql {
  readonly sql: { exec(query: string, ...params: unknown[]): { toArray(): unknown[] } }
  transactionSync<T>(work: () => T): T
}

/** A row of a Durable Object takes 2 MB, with its key and its columns; an object has 128 MB of memory. */
const LIMITS: Partial<Limits> = { keyBytes: 2048, valueBytes: 1_990_000, commitBytes: 32_000_000 }

/**
 * Keeps everything in a Durable Object: `durableObjectStorage(ctx.storage)`. One object is for one family of threads, a
 * thread and its forks, so that there is nothing which all threads share.
 */
export function durableObjectStorage(storage: DurableObjectSql): SqliteStorage {
  return new SqlStorage(driverOf(storage), { isMigrated: false, isOneFamily: true })
}

function driverOf(storage: DurableObjectSql): SqliteDriver {
  const all = ({ sql, params }: Statement): SqlRow[] => storage.sql.exec(sql, ...params).toArray() as SqlRow[]
  return {
    limits: LIMITS,
    all,
    batch: (statements) => storage.transactionSync(() => statements.map(all)),
  }
}
