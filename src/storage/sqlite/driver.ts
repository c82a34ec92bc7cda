import type { Limits } from '../storage.ts'

export type SqlValue = string | number | Uint8Array | null

export interface Statement {
  readonly sql: string
  readonly params: readonly SqlValue[]
}

/** A row by its columns. Engines differ in what a blob comes as; see `bytesFrom`. */
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * One connection to an SQLite database, whichever library has it. Two calls are all that is asked of it, so an engine
 * that knows nothing but batches will do.
 */
export interface SqliteDriver {
  /** Runs one statement; its rows. */
  all(statement: Statement): readonly SqlRow[] | Promise<readonly SqlRow[]>
  /**
   * Runs statements in one transaction; the rows of each. One that fails takes back all and rejects. `write` begins with
   * the lock for writing, so that what was read cannot have changed when it comes to the first write.
   */
  batch(
    statements: readonly Statement[],
    mode: 'read' | 'write',
  ): readonly (readonly SqlRow[])[] | Promise<readonly (readonly SqlRow[])[]>
  /** What is run once, before anything else. */
  readonly opening?: readonly string[]
  /** Where the engine takes less than SQLite by itself. */
  readonly limits?: Partial<Limits>
  /** It is reached over a network: a call that fails may have been carried out all the same. */
  readonly isRemote?: boolean
}
