import { Calls, versionMaker } from '../adapter/calls.ts'
import { refuseTooLarge } from '../adapter/limits.ts'
import type {
  Batch,
  CommitResult,
  Key,
  Limits,
  ListedRow,
  ListQuery,
  Query,
  Row,
  Storage,
} from '../storage.ts'
import type { SqliteDriver } from './driver.ts'
import { coded, isBusy, isConflict, isUnsure, unknownOutcome } from './errors.ts'
import { readList, readRows } from './read-rows.ts'
import { LOCATE, rowOf, selectPartitions } from './reads.ts'
import { ensureSchema, type SchemaOptions } from './schema.ts'
import { DELETE_ALL, selectWitness, statementsOf } from './writes.ts'

export interface SqlStorageOptions extends SchemaOptions {
  /** The tables are there already. */
  readonly isMigrated: boolean
}

/** What SQLite takes by itself; 8 MiB so that no row holds the thread up for long. */
const LIMITS: Limits = {
  keyBytes: 4096,
  valueBytes: 8 * 1024 * 1024,
  operations: Number.POSITIVE_INFINITY,
  commitBytes: Number.POSITIVE_INFINITY,
}

export class SqlStorage implements Storage {
  readonly limits: Limits
  readonly #driver: SqliteDriver
  readonly #options: SqlStorageOptions
  readonly #calls = new Calls({ prepare: () => this.#prepare(), isBusy, coded })
  readonly #newVersion = versionMaker()

  constructor(driver: SqliteDriver, options: SqlStorageOptions) {
    this.limits = { ...LIMITS, ...driver.limits }
    this.#driver = driver
    this.#options = options
  }

  ensureSchema(): Promise<void> {
    return this.#calls.run(() => ensureSchema(this.#driver, this.#options))
  }

  read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    return this.#calls.run(() => readRows(this.#driver, partition, queries))
  }

  commit(partition: string, batch: Batch): Promise<CommitResult> {
    return this.#calls.run(async () => {
      refuseTooLarge(this.limits, batch)
      const version = this.#newVersion()
      const statements = statementsOf(partition, batch, version)
      if (statements.length === 0) return { ok: true, version }
      try {
        await this.#driver.batch(statements, 'write')
      } catch (error) {
        if (isConflict(error)) return { ok: false }
        if (!this.#driver.isRemote || !isUnsure(error)) throw error
        if (!(await this.#wasCarriedOut(partition, batch, version))) throw unknownOutcome(error)
      }
      return { ok: true, version }
    })
  }

  /** What has not arrived yet may still come, so that a no is none. */
  async #wasCarriedOut(partition: string, batch: Batch, version: string): Promise<boolean> {
    const witness = selectWitness(partition, batch)
    if (!witness) return false
    const [row] = await Promise.resolve(this.#driver.all(witness)).catch(() => [])
    return row?.['version'] === version
  }

  locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    return this.#calls.run(async () => {
      const [row] = await this.#driver.all({ sql: LOCATE, params: key })
      return row && { partition: row['family'] as string, row: rowOf('threads', row) }
    })
  }

  list(query: ListQuery): Promise<ListedRow[]> {
    return this.#calls.run(() => readList(this.#driver, query))
  }

  partitions(query: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    return this.#calls.run(async () => {
      const found = await this.#driver.all(selectPartitions(query.after, query.limit))
      return found.map(({ family }) => family as string)
    })
  }

  destroy(): Promise<void> {
    return this.#calls.run(async () => void (await this.#driver.batch(DELETE_ALL, 'write')))
  }

  /** The connection is the caller's, and stays open; nothing of this storage is done with it any more. */
  close(): Promise<void> {
    return this.#calls.close()
  }

  async #prepare(): Promise<void> {
    for (const sql of this.#driver.opening ?? []) await this.#driver.all({ sql, params: [] })
    if (!this.#options.isMigrated) await ensureSchema(this.#driver, this.#options)
  }
}
