import {
  type DBSchema,
  type IDBPDatabase,
  type IDBPObjectStore,
  type IDBPTransaction,
  deleteDB,
  openDB,
} from 'idb'
import { CheckpointerError } from '../errors.ts'
import { CURRENT_FORMAT } from './format-version.ts'
import { refuseTooLarge } from './limits.ts'
import {
  TABLES,
  type Batch,
  type CommitResult,
  type Key,
  type Limits,
  type ListedRow,
  type ListQuery,
  type Put,
  type Query,
  type Range,
  type Row,
  type Storage,
  type Table,
} from './storage.ts'

/**
 * The names that the parts of a key have in a table, behind the partition, which is `family`.
 *
 * | store       | primary key                        | index                                                    |
 * | ----------- | ---------------------------------- | -------------------------------------------------------- |
 * | threads     | family, thread, namespace          | thread: thread, namespace (unique); latest: order, …     |
 * | checkpoints | family, lane, seq                  | id: family, lane, id (unique)                            |
 * | parts       | family, lane, seq, owner, number   |                                                          |
 * | writes      | family, lane, seq, task, index     |                                                          |
 * | meta        | family, name                       |                                                          |
 */
const COLUMNS: Record<Table, readonly string[]> = {
  threads: ['thread', 'namespace'],
  checkpoints: ['lane', 'seq'],
  parts: ['lane', 'seq', 'owner', 'number'],
  writes: ['lane', 'seq', 'task', 'index'],
  meta: ['name'],
}
const ALIAS_COLUMNS = ['lane', 'id']

/** How long a blocked or hung open is waited for. */
const OPEN_TIMEOUT = 10_000

interface IdbRow {
  readonly [column: string]: string | number | Uint8Array
  readonly family: string
  readonly head: string
  readonly version: string
}

interface StoreShape {
  key: IDBValidKey
  value: IdbRow
  indexes: Record<string, IDBValidKey>
}
interface Schema extends DBSchema {
  threads: StoreShape
  checkpoints: StoreShape
  parts: StoreShape
  writes: StoreShape
  meta: StoreShape
}
type Database = IDBPDatabase<Schema>
type Stores = Table[]

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

/** Every step that was ever released stays here; each takes a database from one format to the next. */
function upgrade(db: Database, oldVersion: number): void {
  if (oldVersion < 1) {
    for (const table of TABLES) {
      const store = db.createObjectStore(table, { keyPath: ['family', ...COLUMNS[table]] })
      if (table === 'checkpoints') store.createIndex('id', ['family', ...ALIAS_COLUMNS], { unique: true })
      if (table === 'threads') {
        store.createIndex('thread', ['thread', 'namespace'], { unique: true })
        store.createIndex('latest', ['order', 'thread', 'namespace'])
      }
    }
  }
}

type WriteTransaction = IDBPTransaction<Schema, Stores, 'readwrite'>

/**
 * All requests go out in one burst. They run in order, so each check is answered from before the writes, and one
 * that fails takes them back. The transaction is closed only when all have succeeded: Firefox 153 commits the
 * rest when one fails after `commit()` was called. A worker that dies before that leaves nothing behind.
 */
async function carryOut(
  tx: WriteTransaction,
  partition: string,
  { checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch,
  version: string,
): Promise<CommitResult> {
  const done = tx.done.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const writes: Promise<unknown>[] = []
  try {
    const found = checks.map(({ table, key }) => heard(tx.objectStore(table).get([partition, ...key])))
    for (const { table, from, to } of deleteRanges.filter(isRange))
      writes.push(heard(tx.objectStore(table).delete(keyRange(partition, { from, to }))))
    for (const { table, key } of deletes)
      writes.push(heard(tx.objectStore(table).delete([partition, ...key])))
    for (const put of puts) writes.push(heard(tx.objectStore(put.table).put(idbRow(partition, put, version))))
    const rows = await Promise.all(found)
    if (rows.some((row, i) => row?.version !== checks[i]?.version)) {
      tx.abort()
      await done
      return { ok: false }
    }
    await Promise.all(writes)
    tx.commit()
  } catch (error) {
    // A row that cannot be stored throws at once; without this, what was asked for before it would stay.
    abort(tx)
    const failed = await done
    // Another partition holds the thread already, or the id is taken: somebody was first.
    if (nameOf(error) === 'ConstraintError') return { ok: false }
    // What a failing transaction takes along says no more than that.
    throw nameOf(error) === 'AbortError' && failed ? failed.error : error
  }
  const failed = await done
  if (failed) throw failed.error
  return { ok: true, version }
}

function abort(tx: WriteTransaction): void {
  try {
    tx.abort()
  } catch (error) {
    if (nameOf(error) !== 'InvalidStateError') throw error
    // It has ended by itself.
  }
}

/** A request that failed fails its transaction, and is not reported a second time. */
function heard<T>(request: Promise<T>): Promise<T> {
  request.catch(() => undefined)
  return request
}

function tablesOf({ checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch): Stores {
  return [...new Set([...checks, ...puts, ...deletes, ...deleteRanges].map(({ table }) => table))]
}

type ReadStore = IDBPObjectStore<Schema, Stores, Table, 'readonly'>

async function runQuery(store: ReadStore, partition: string, query: Query): Promise<Row[]> {
  const { table } = query
  const rows = (found: readonly (IdbRow | undefined)[]): Row[] =>
    found.filter((row) => row !== undefined).map((row) => rowOf(table, row))
  if ('keys' in query) return rows(await Promise.all(query.keys.map((key) => store.get([partition, ...key]))))
  if ('alias' in query) return rows([await store.index('id').get([partition, ...query.alias])])
  // To IndexedDB a limit of 0 is none.
  if (!isRange(query) || query.limit === 0) return []
  const range = keyRange(partition, query)
  if (!query.reverse) return rows(await store.getAll(range, query.limit))
  return rows(await lastRows(store, range, query.limit))
}

/** Newer engines read backwards in one request; elsewhere a cursor walks. */
async function lastRows(store: ReadStore, range: IDBKeyRange, limit: number | undefined): Promise<IdbRow[]> {
  if (limit === undefined) return (await store.getAll(range)).reverse()
  if ('getAllRecords' in IDBObjectStore.prototype) {
    const getAll = store.getAll as unknown as (options: {
      query: IDBKeyRange
      count: number
      direction: 'prev'
    }) => Promise<IdbRow[]>
    return getAll.call(store, { query: range, count: limit, direction: 'prev' })
  }
  const found: IdbRow[] = []
  for (let cursor = await store.openCursor(range, 'prev'); cursor && found.length < limit;) {
    found.push(cursor.value)
    if (found.length < limit) cursor = await cursor.continue()
  }
  return found
}

/** The partitions that have rows in a store, by jumping from one to the next. */
async function families(store: ReadStore, after: string | undefined, limit: number): Promise<string[]> {
  const found: string[] = []
  // An array is greater than any string or number: [name, []] lies behind all of a partition's keys.
  let range = after === undefined ? undefined : IDBKeyRange.lowerBound([after, []])
  while (found.length < limit) {
    const [key] = (await store.getAllKeys(range, 1)) as unknown as [string][]
    if (!key) break
    found.push(key[0])
    range = IDBKeyRange.lowerBound([key[0], []])
  }
  return found
}

function keyRange(partition: string, { from, to }: Range): IDBKeyRange {
  return IDBKeyRange.bound([partition, ...from], [partition, ...to], false, true)
}

/** IndexedDB throws for a range that holds nothing. */
const isRange = ({ from, to }: Range): boolean => indexedDB.cmp([...from], [...to]) < 0

function idbRow(family: string, { table, key, head, body, alias, rank }: Put, version: string): IdbRow {
  const columns = Object.fromEntries(COLUMNS[table].map((name, i) => [name, key[i] as string | number]))
  const aliased = alias ? { id: alias[1] as string } : {}
  return {
    family,
    ...columns,
    ...aliased,
    ...(rank === undefined ? {} : { order: -rank }),
    head,
    version,
    // A view would take its whole buffer along.
    ...(body ? { body: body.length === body.buffer.byteLength ? body : new Uint8Array(body) } : {}),
  }
}

function rowOf(table: Table, row: IdbRow): Row {
  const key = COLUMNS[table].map((name) => row[name] as string | number)
  return { key, head: row.head, version: row.version, ...(row.body ? { body: row.body as Uint8Array } : {}) }
}

/** Runs an open or a delete with a limit in time: a tab that does not let go would block it for ever. */
async function withinTime<T>(
  name: string,
  work: (onBlocked: () => void) => Promise<T>,
  onLate: (result: T) => void = () => {},
): Promise<T> {
  let blocked = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const working = work(() => void (blocked = true))
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // Nobody waits for it any more, but it may still come.
      void working.then(onLate, () => {})
      const why = blocked
        ? 'another tab holds it open; close that tab'
        : 'the browser does not answer; reload, or restart it'
      reject(
        new CheckpointerError(
          'BLOCKED',
          `The database ${name} could not be opened in ${OPEN_TIMEOUT / 1000} s: ${why}.`,
        ),
      )
    }, OPEN_TIMEOUT)
  })
  try {
    return await Promise.race([working, late])
  } finally {
    clearTimeout(timer)
  }
}

const closed = (): CheckpointerError => new CheckpointerError('CLOSED', 'This storage is closed.')

const nameOf = (error: unknown): string => (error as { name?: unknown } | null)?.name as string

function coded(error: unknown): CheckpointerError {
  if (CheckpointerError.is(error)) return error
  const cause = error ?? undefined
  switch (nameOf(error)) {
    case 'QuotaExceededError':
      return new CheckpointerError(
        'QUOTA',
        'There is no room left for this site. Prune or delete threads, or ask for persistence. Nothing was written.',
        { cause, outcome: 'none' },
      )
    case 'VersionError':
      return new CheckpointerError(
        'FORMAT_TOO_NEW',
        'The database was made by a newer version of this package. Update the package.',
        { cause },
      )
    case 'DataError':
      return new CheckpointerError('INVALID', 'IndexedDB does not take this key.', { cause })
    default:
      return new CheckpointerError('FAILED', `IndexedDB failed: ${String(error)}`, { cause })
  }
}
