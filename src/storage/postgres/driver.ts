import type { Limits } from '../storage.ts'

export type PgValue = string | number | Uint8Array | null

export interface Statement {
  readonly sql: string
  readonly params: readonly PgValue[]
}

/** A row by its columns. Libraries differ in what a large number and bytes come as; see `rowsOf`. */
export type PgRow = Readonly<Record<string, unknown>>

/**
 * One way to a Postgres database, whichever library has it. One call is all that is asked of it: whatever is read or
 * written at once is one statement, and a transaction of its own, so that a pooler or an HTTP driver will do.
 */
export interface PostgresDriver {
  query(statement: Statement): Promise<readonly PgRow[]>
  /** Where the way there takes less than Postgres does. */
  readonly limits?: Partial<Limits>
  /** It is in this process: a call that fails was not carried out. */
  readonly isLocal?: boolean
}
