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
import type { PgRow, PostgresDriver } from './driver.ts'
import { coded, isBusy, isConflict, isUnsure, unknownOutcome } from './errors.ts'
import {
  listedRowOf,
  LOCATE,
  rowOf,
  rowsByQuery,
  selectList,
  selectPartitions,
  selectQueries,
} from './reads.ts'
import { ensureSchema } from './schema.ts'
import { commitStatement, DELETE_ALL, selectWitness } from './writes.ts'

export interface PgStorageOptions {
  /** The tables are there already. */
  readonly isMigrated: boolean
}

/** An entry of an index has 2,704 bytes, with the family and the key in it. */
const LIMITS: Limits = {
  keyBytes: 2048,
  valueBytes: 8 * 1024 * 1024,
  operations: Number.POSITIVE_INFINITY,
  commitBytes: 16 * 1024 * 1024,
}

export class PgStorage implements Storage {
  readonly limits: Limits
  readonly #driver: PostgresDriver
  readonly #calls: Calls
  readonly #newVersion = versionMaker()

  constructor(driver: PostgresDriver, { isMigrated }: PgStorageOptions) {
    this.limits = { ...LIMITS, ...driver.limits }
    this.#driver = driver
    const prepare = async (): Promise<void> => (isMigrated ? undefined : ensureSchema(driver))
    this.#calls = new Calls({ prepare, isBusy, coded })
  }

  ensureSchema(): Promise<void> {
    return this.#calls.run(() => ensureSchema(this.#driver))
  }

  read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    return this.#calls.run(async () => {
      if (queries.length === 0) return []
      return rowsByQuery(queries, await this.#driver.query(selectQueries(partition, queries)))
    })
  }

  commit(partition: string, batch: Batch): Promise<CommitResult> {
    return this.#calls.run(async () => {
      refuseTooLarge(this.limits, batch)
      const version = this.#newVersion()
      try {
        const [row] = await this.#driver.query(commitStatement(partition, batch, version))
        return isTrue(row) ? { ok: true, version } : { ok: false }
      } catch (error) {
        if (isConflict(error)) return { ok: false }
        if (this.#driver.isLocal || !isUnsure(error)) throw error
        if (!(await this.#wasCarriedOut(partition, batch, version))) throw unknownOutcome(error)
        return { ok: true, version }
      }
    })
  }

  /** What has not arrived yet may still come, so that a no is none. */
  async #wasCarriedOut(partition: string, batch: Batch, version: string): Promise<boolean> {
    const witness = selectWitness(partition, batch)
    if (!witness) return false
    const [row] = await this.#driver.query(witness).catch(() => [])
    return row?.['version'] === version
  }

  locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    return this.#calls.run(async () => {
      const [row] = await this.#driver.query({ sql: LOCATE, params: key })
      return row && { partition: row['family'] as string, row: rowOf(row) }
    })
  }

  list(query: ListQuery): Promise<ListedRow[]> {
    return this.#calls.run(async () => (await this.#driver.query(selectList(query))).map(listedRowOf))
  }

  partitions({ after, limit }: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    return this.#calls.run(async () => {
      const found = await this.#driver.query(selectPartitions(after, limit))
      return found.map(({ family }) => family as string)
    })
  }

  destroy(): Promise<void> {
    return this.#calls.run(async () => void (await this.#driver.query(DELETE_ALL)))
  }

  /** The connection is the caller's, and stays open; nothing of this storage is done with it any more. */
  close(): Promise<void> {
    return this.#calls.close()
  }
}

/** A library that is told to parse nothing gives a letter. */
const isTrue = (row: PgRow | undefined): boolean => row?.['ok'] === true || row?.['ok'] === 't'
