import { deleteDB, openDB, type IDBPTransaction } from 'idb'
import { CheckpointerError } from '../errors.ts'
import { CURRENT_FORMAT } from './format-version.ts'
import { carryOut, tablesOf } from './indexeddb-commit.ts'
import { closed, coded, nameOf, withinTime } from './indexeddb-errors.ts'
import { families, runQuery } from './indexeddb-queries.ts'
import { rowOf, upgrade, type Database, type Schema, type Stores } from './indexeddb-schema.ts'
import { refuseTooLarge } from './limits.ts'
import {
  TABLES,
  type Batch,
  type CommitResult,
  type Key,
  type Limits,
  type ListedRow,
  type ListQuery,
  type Query,
  type Row,
  type Storage,
} from './storage.ts'

export interface IndexedDbStorageOptions {
  /** Names the database; two checkpointers with the same name share their data. */
  readonly name: string
}

export function indexedDbStorage(options: IndexedDbStorageOptions): Storage {
  return new IndexedDbStorage(`forkpoint:${options.name}`)
}

class IndexedDbStorage implements Storage {
  /** Rows of up to 2 MiB were seen to survive power cuts whole; a larger payload is in parts. */
  readonly limits: Limits = {
    keyBytes: 4096,
    valueBytes: 2 * 1024 * 1024,
    operations: Number.POSITIVE_INFINITY,
    commitBytes: Number.POSITIVE_INFINITY,
  }
  readonly #name: string
  readonly #session = Array.from(crypto.getRandomValues(new Uint32Array(2)), (word) =>
    word.toString(36),
  ).join('')
  #commits = 0
  #opening: Promise<Database> | undefined
  /** Why this storage can no longer be used. */
  #ended: CheckpointerError | undefined

  constructor(name: string) {
    this.#name = name
  }

  async read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    this.#refuseWhenEnded()
    if (queries.length === 0) return []
    const stores = [...new Set(queries.map((query) => query.table))]
    return this.#within(stores, 'readonly', (tx) =>
      Promise.all(queries.map((query) => runQuery(tx.objectStore(query.table), partition, query))),
    )
  }

  async commit(partition: string, batch: Batch): Promise<CommitResult> {
    this.#refuseWhenEnded()
    refuseTooLarge(this.limits, batch)
    const stores = tablesOf(batch)
    if (stores.length === 0) return { ok: true, version: '' }
    const version = `${this.#session}.${(++this.#commits).toString(36)}`
    return this.#within(stores, 'readwrite', (tx) => carryOut(tx, partition, batch, version))
  }

  async locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    return this.#within(['threads'], 'readonly', async (tx) => {
      const found = await tx
        .objectStore('threads')
        .index('thread')
        .get([...key])
      return found && { partition: found.family, row: rowOf('threads', found) }
    })
  }

  async list({ limit, after }: ListQuery): Promise<ListedRow[]> {
    this.#refuseWhenEnded()
    if (limit === 0) return []
    return this.#within(['threads'], 'readonly', async (tx) => {
      const range = after && IDBKeyRange.lowerBound([-after.rank, ...after.key], true)
      const found = await tx.objectStore('threads').index('latest').getAll(range, limit)
      return found.map((row) => ({
        ...rowOf('threads', row),
        partition: row.family,
        rank: -(row.order as number),
      }))
    })
  }

  async partitions({ after, limit }: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    const names = await this.#within([...TABLES], 'readonly', (tx) =>
      Promise.all(TABLES.map((table) => families(tx.objectStore(table), after, limit))),
    )
    return [...new Set(names.flat())].sort().slice(0, limit)
  }

  async destroy(): Promise<void> {
    this.#refuseWhenEnded()
    const db = await this.#opening?.catch(() => undefined)
    this.#ended = closed()
    db?.close()
    await withinTime(this.#name, (onBlocked) => deleteDB(this.#name, { blocked: onBlocked }))
  }

  async close(): Promise<void> {
    this.#ended ??= closed()
    const db = await this.#opening?.catch(() => undefined)
    db?.close()
  }

  async #within<Mode extends 'readonly' | 'readwrite', T>(
    stores: Stores,
    mode: Mode,
    work: (tx: IDBPTransaction<Schema, Stores, Mode>) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(await this.#begin(stores, mode))
    } catch (error) {
      throw this.#ended ?? coded(error)
    }
  }

  /** A handle that the browser has closed is dropped and opened again, once: nothing was started on it. */
  async #begin<Mode extends 'readonly' | 'readwrite'>(
    stores: Stores,
    mode: Mode,
  ): Promise<IDBPTransaction<Schema, Stores, Mode>> {
    const start = (db: Database): IDBPTransaction<Schema, Stores, Mode> => {
      const tx = db.transaction(stores, mode, { durability: 'strict' })
      // Its failure shows in the requests too, and not all who ask wait for its end.
      tx.done.catch(() => undefined)
      return tx
    }
    const opening = this.#open()
    const db = await opening
    try {
      return start(db)
    } catch (error) {
      if (this.#ended || nameOf(error) !== 'InvalidStateError') throw error
      // Of several calls that find it closed, the first opens it again for all.
      if (this.#opening === opening) this.#opening = undefined
      return start(await this.#open())
    }
  }

  #refuseWhenEnded(): void {
    if (this.#ended) throw this.#ended
  }

  #open(): Promise<Database> {
    this.#refuseWhenEnded()
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined
      throw coded(error)
    })
    return this.#opening
  }

  async #connect(): Promise<Database> {
    return withinTime(
      this.#name,
      (onBlocked) =>
        openDB<Schema>(this.#name, CURRENT_FORMAT, {
          upgrade: (db, oldVersion) => upgrade(db, oldVersion),
          blocked: onBlocked,
          // Another tab upgrades or destroys the database: holding on would block it.
          blocking: (_current, wanted, event) => {
            const why =
              wanted === null
                ? 'It was destroyed in another tab.'
                : 'Another tab uses a newer version: reload this one.'
            this.#ended = new CheckpointerError('CLOSED', `The database ${this.#name} was closed. ${why}`)
            ;(event.target as IDBDatabase).close()
          },
          terminated: () => {
            this.#ended ??= new CheckpointerError(
              'EVICTED',
              `The browser has closed ${this.#name}, as it does when site data is cleared. Open it again to see what is left.`,
            )
          },
        }),
      (db) => db.close(),
    )
  }
}
