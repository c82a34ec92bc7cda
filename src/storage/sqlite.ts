import { checkGiven } from './adapter/given.ts'
import type { Storage } from './storage.ts'
import type { SqliteDriver } from './sqlite/driver.ts'
import { SqlStorage } from './sqlite/sql-storage.ts'

export type { SqliteDriver, SqlRow, SqlValue, Statement } from './sqlite/driver.ts'
export {
  betterSqlite3,
  bunSqlite,
  d1,
  nodeSqlite,
  type BetterSqlite3Database,
  type BunDatabase,
  type D1Like,
  type NodeDatabase,
} from './sqlite/drivers.ts'
export { libsql, type LibsqlClient } from './sqlite/libsql.ts'
export { sqliteSchema } from './sqlite/schema.ts'

export interface SqliteStorageOptions {
  /** The tables are there already: you run `sqliteSchema` yourself. Otherwise the first call sees to them. */
  readonly migrated?: boolean
}

export interface SqliteStorage extends Storage {
  /** Creates the tables, or brings them up to date. */
  ensureSchema(): Promise<void>
}

/** Keeps everything in SQLite. The connection is the caller's: to close it is too, after this was closed. */
export function sqliteStorage(driver: SqliteDriver, options: SqliteStorageOptions = {}): SqliteStorage {
  checkGiven(
    'sqliteStorage',
    driver,
    ['all', 'batch'],
    'a driver, such as nodeSqlite(new DatabaseSync(path))',
  )
  return new SqlStorage(driver, { isMigrated: options.migrated ?? false, isOneFamily: false })
}
