import { checkGiven } from '../adapter/given.ts'
import type { Limits } from '../storage.ts'
import type { SqliteDriver, SqlRow, SqlValue } from './driver.ts'
import { localDriver, remembered } from './local.ts'

/** Of `node:sqlite`, what is used: a `DatabaseSync`. */
export interface NodeDatabase {
  prepare(sql: string): { all(...params: SqlValue[]): unknown[] }
}

/** `new DatabaseSync(path)` of `node:sqlite`. */
export function nodeSqlite(database: NodeDatabase): SqliteDriver {
  checkGiven('nodeSqlite', database, ['prepare'], "a DatabaseSync of 'node:sqlite'")
  const prepare = remembered((sql) => database.prepare(sql))
  return localDriver((sql, params) => prepare(sql).all(...params))
}

/** Of `bun:sqlite`, what is used: a `Database`. */
export interface BunDatabase {
  query(sql: string): { all(...params: SqlValue[]): unknown[] }
}

/** `new Database(path)` of `bun:sqlite`, which remembers statements by itself. */
export function bunSqlite(database: BunDatabase): SqliteDriver {
  checkGiven('bunSqlite', database, ['query'], "a Database of 'bun:sqlite'")
  return localDriver((sql, params) => database.query(sql).all(...params))
}

/** Of `better-sqlite3`, what is used. */
export interface BetterSqlite3Database {
  prepare(sql: string): {
    readonly reader: boolean
    all(...params: SqlValue[]): unknown[]
    run(...params: SqlValue[]): unknown
  }
}

/** `new Database(path)` of `better-sqlite3`. */
export function betterSqlite3(database: BetterSqlite3Database): SqliteDriver {
  checkGiven('betterSqlite3', database, ['prepare'], "a Database of 'better-sqlite3'")
  const prepare = remembered((sql) => database.prepare(sql))
  return localDriver((sql, params) => {
    const statement = prepare(sql)
    if (statement.reader) return statement.all(...params)
    statement.run(...params)
    return []
  })
}

interface D1Statement {
  bind(...params: unknown[]): D1Statement
  all(): Promise<{ readonly results: readonly unknown[] }>
}

/** Of a `D1Database`, what is used. */
export interface D1Like {
  prepare(sql: string): D1Statement
  batch(statements: D1Statement[]): Promise<readonly { readonly results: readonly unknown[] }[]>
}

/**
 * A row of D1 takes 2,000,000 bytes, with its key and its columns. Each statement of a batch is a query, of which an
 * invocation of a Worker has 1,000: it may make several commits, and reads come before.
 */
const D1: Partial<Limits> = {
  keyBytes: 2048,
  valueBytes: 1_990_000,
  operations: 300,
  commitBytes: 16_000_000,
}

/** A binding of Cloudflare D1. */
export function d1(database: D1Like): SqliteDriver {
  checkGiven('d1', database, ['prepare', 'batch'], 'a binding of D1, such as env.DB')
  const bound = ({
    sql,
    params,
  }: {
    readonly sql: string
    readonly params: readonly SqlValue[]
  }): D1Statement => database.prepare(sql).bind(...params)
  return {
    isRemote: true,
    limits: D1,
    all: async (statement) => (await bound(statement).all()).results as SqlRow[],
    batch: async (statements) =>
      (await database.batch(statements.map(bound))).map(({ results }) => results as SqlRow[]),
  }
}
