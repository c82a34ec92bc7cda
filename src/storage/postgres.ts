import { checkGiven } from './adapter/given.ts'
import type { PostgresDriver } from './postgres/driver.ts'
import { PgStorage } from './postgres/pg-storage.ts'
import type { Storage } from './storage.ts'

export type { PgRow, PgValue, PostgresDriver, Statement } from './postgres/driver.ts'
export {
  neonHttp,
  nodePostgres,
  pglite,
  type NeonLike,
  type NodePostgres,
  type PGliteLike,
} from './postgres/drivers.ts'
export { postgresSchema } from './postgres/schema.ts'

export interface PostgresStorageOptions {
  /** The tables are there already: you run `postgresSchema` yourself. Otherwise the first call sees to them. */
  readonly migrated?: boolean
}

export interface PostgresStorage extends Storage {
  /** Creates the tables, or brings them up to date. */
  ensureSchema(): Promise<void>
}

/** Keeps everything in Postgres. The connection is the caller's: to close it is too, after this was closed. */
export function postgresStorage(
  driver: PostgresDriver,
  options: PostgresStorageOptions = {},
): PostgresStorage {
  checkGiven('postgresStorage', driver, ['query'], 'a driver, such as nodePostgres(new Pool())')
  return new PgStorage(driver, { isMigrated: options.migrated ?? false })
}
