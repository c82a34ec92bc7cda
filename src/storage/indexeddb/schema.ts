import type { DBSchema, IDBPDatabase } from 'idb'
import { isBytes } from '../../platform/bytes.ts'
import { TABLES, type Put, type Range, type Row, type Table } from '../storage.ts'

/**
 * The names that the parts of a key have in a table, behind the partition, which is `family`.
 *
 * | store       | primary key                        | index                                                    |
 * | ----------- | ---------------------------------- | -------------------------------------------------------- |
 * | threads     | family, thread, namespace          | thread: thread, namespace (unique); latest: order, …     |
 * | checkpoints | family, lane, seq                  | id: family, lane, id (unique)                            |
 * | parts       | family, lane, seq, owner, number   |                                                          |
 * | writes      | family, lane, seq, task, index     |                                                          |
 * | meta        | family, name, of                   |                                                          |
 *
 * Beside them `session`, by session and number: what a killed session leaves behind. The port does not show it.
 */
const COLUMNS: Record<Table, readonly string[]> = {
  threads: ['thread', 'namespace'],
  checkpoints: ['lane', 'seq'],
  parts: ['lane', 'seq', 'owner', 'number'],
  writes: ['lane', 'seq', 'task', 'index'],
  meta: ['name', 'of'],
}
const ALIAS_COLUMNS = ['lane', 'id']

export interface IdbRow {
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
/** Number 0 is the marker of a session that is writing; there are no others yet. */
type SessionKey = [session: string, number: number]
interface SessionRow {
  readonly session: string
  readonly number: number
  /** In a marker: it has acknowledged what is not durable yet. */
  readonly owes?: boolean
  /** In a marker: when it was put, or put again, by the clock. */
  readonly at?: number
}

export interface Schema extends DBSchema {
  threads: StoreShape
  checkpoints: StoreShape
  parts: StoreShape
  writes: StoreShape
  meta: StoreShape
  session: { key: SessionKey; value: SessionRow; indexes: Record<string, IDBValidKey> }
}
export type StoreName = Table | 'session'
export type Database = IDBPDatabase<Schema>

/**
 * The version of the database for the engine. It rises with its stores, and with each number in the row of the database that
 * says who may do what: whoever has it open is told then, and looks again.
 */
export const SCHEMA_VERSION = 1

interface Index {
  readonly name: string
  readonly path: readonly string[]
  readonly unique: boolean
}

const INDEXES: Partial<Record<StoreName, readonly Index[]>> = {
  threads: [
    { name: 'thread', path: ['thread', 'namespace'], unique: true },
    { name: 'latest', path: ['order', 'thread', 'namespace'], unique: false },
  ],
  checkpoints: [{ name: 'id', path: ['family', ...ALIAS_COLUMNS], unique: true }],
}
const STORES: readonly StoreName[] = [...TABLES, 'session']

const pathOf = (store: StoreName): readonly string[] =>
  store === 'session' ? ['session', 'number'] : ['family', ...COLUMNS[store]]

/** Every step that was ever released stays here; each takes a database from one version to the next. */
export function upgrade(db: Database, oldVersion: number): void {
  if (oldVersion < 1)
    for (const name of STORES) {
      const store = db.createObjectStore(name, { keyPath: [...pathOf(name)] })
      for (const { name: index, path, unique } of INDEXES[name] ?? [])
        store.createIndex(index, [...path], { unique })
    }
}

/** Whether a database of a later version still has all that this one works with. */
export function hasOurStores(db: Database): boolean {
  if (!STORES.every((name) => db.objectStoreNames.contains(name))) return false
  const tx = db.transaction(STORES, 'readonly')
  return STORES.every((name) => {
    const store = tx.objectStore(name)
    const isSame = (index: Index): boolean =>
      store.indexNames.contains(index.name) && isPath(store.index(index.name).keyPath, index.path)
    return isPath(store.keyPath, pathOf(name)) && (INDEXES[name] ?? []).every(isSame)
  })
}

const isPath = (found: unknown, wanted: readonly string[]): boolean =>
  JSON.stringify(found) === JSON.stringify(wanted)

export function idbRow(
  family: string,
  { table, key, head, body, alias, rank }: Put,
  version: string,
): IdbRow {
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

/** Its primary key. */
export const keyOf = (table: Table, row: IdbRow): (string | number)[] => [
  row.family,
  ...columnsOf(table, row),
]

const columnsOf = (table: Table, row: IdbRow): (string | number)[] =>
  COLUMNS[table].map((name) => row[name] as string | number)

/** Where another has put anything, or damage has, there may be no text for a head: then it is empty, which no seal fits. */
export function rowOf(table: Table, row: IdbRow): Row {
  const head: unknown = row.head
  const body = bodyOf(row)
  return {
    key: columnsOf(table, row),
    head: typeof head === 'string' ? head : '',
    version: row.version,
    ...(body ? { body } : {}),
  }
}

/** Nothing where it is no bytes. */
export const bodyOf = ({ body }: IdbRow): Uint8Array | undefined => (isBytes(body) ? body : undefined)

export function keyRange(partition: string, { from, to }: Range): IDBKeyRange {
  return IDBKeyRange.bound([partition, ...from], [partition, ...to], false, true)
}

export const rowsOfSession = (session: string): IDBKeyRange =>
  IDBKeyRange.bound([session, 0], [session, Number.MAX_SAFE_INTEGER])

/** IndexedDB throws for a range that holds nothing. */
export const isRange = ({ from, to }: Range): boolean => indexedDB.cmp([...from], [...to]) < 0
