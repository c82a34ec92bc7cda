import type { Limits } from '../storage.ts'
import type { PgRow, PostgresDriver } from './driver.ts'

/** Of `pg`, what is used: a `Pool`, or a `Client` that is connected. */
export interface NodePostgres {
  query(sql: string, params: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** `new Pool()` of `pg`, or of `@neondatabase/serverless` over a WebSocket. */
export function nodePostgres(pool: NodePostgres): PostgresDriver {
  return {
    query: async ({ sql, params }) => (await pool.query(sql, [...params])).rows as PgRow[],
  }
}

/** Of `@electric-sql/pglite`, what is used. */
export interface PGliteLike {
  query(sql: string, params: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** `new PGlite(folder)`: Postgres in this process. */
export function pglite(database: PGliteLike): PostgresDriver {
  return { ...nodePostgres(database), isLocal: true }
}

/** Of what `neon()` of `@neondatabase/serverless` gives, what is used. */
export interface NeonLike {
  query(
    sql: string,
    params: unknown[],
    options: { arrayMode: false; fullResults: false },
  ): PromiseLike<readonly unknown[]>
}

/** Bytes travel as hexadecimal text there, and an answer has 64 MB at most. */
const HTTP: Partial<Limits> = { valueBytes: 2 * 1024 * 1024, commitBytes: 16 * 1024 * 1024 }

/** `neon(url)` of `@neondatabase/serverless`: a request of HTTP each call. */
export function neonHttp(sql: NeonLike): PostgresDriver {
  return {
    limits: HTTP,
    query: async (statement) =>
      (await sql.query(statement.sql, [...statement.params], {
        arrayMode: false,
        fullResults: false,
      })) as PgRow[],
  }
}
