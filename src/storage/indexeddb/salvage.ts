import { unwrap } from 'idb'
import type { ReadTransaction } from './reading.ts'
import { isRange, keyRange, rowOf, type IdbRow } from './schema.ts'
import type { ListedRow, Query, Row, Table } from '../storage.ts'

/**
 * Reads a row at a time where a query as a whole has failed: one row that the engine cannot give fails all of a
 * `getAll`. Such a row comes with an empty head, which no seal fits: the layers above then report it, and it alone.
 */
const UNREADABLE = { head: '', version: 'unreadable' } as const

export async function salvageQuery(tx: ReadTransaction, partition: string, query: Query): Promise<Row[]> {
  const store = storeOf(tx, query.table)
  const rows = await Promise.all(
    (await keysOf(store, partition, query)).map((key) => rowAt(store, query.table, key)),
  )
  return rows.filter((row) => row !== undefined)
}

export async function salvageLocate(
  tx: ReadTransaction,
  key: IDBValidKey[],
): Promise<{ partition: string; row: Row } | undefined> {
  const store = storeOf(tx, 'threads')
  const found = await answer(store.index('thread').getKey(key))
  const row = isTuple(found) ? await rowAt(store, 'threads', found) : undefined
  return row && isTuple(found) ? { partition: found[0], row } : undefined
}

/** The index has rank and key, so that a list needs no row to be read. */
export async function salvageList(
  tx: ReadTransaction,
  range: IDBKeyRange | undefined,
  limit: number,
): Promise<ListedRow[]> {
  const store = storeOf(tx, 'threads')
  const request = store.index('latest').openKeyCursor(range)
  const found: { readonly key: Tuple; readonly rank: number }[] = []
  for (let cursor = await answer(request); cursor && found.length < limit; cursor = await answer(request)) {
    const { key, primaryKey } = cursor
    if (Array.isArray(key) && isTuple(primaryKey)) found.push({ key: primaryKey, rank: -Number(key[0]) })
    cursor.continue()
  }
  const rows = await Promise.all(
    found.map(async ({ key, rank }) => {
      const row = await rowAt(store, 'threads', key)
      return row && { ...row, partition: key[0], rank }
    }),
  )
  return rows.filter((row) => row !== undefined)
}

async function keysOf(store: IDBObjectStore, partition: string, query: Query): Promise<Tuple[]> {
  if ('keys' in query) return query.keys.map((key) => [partition, ...key])
  if ('alias' in query) {
    const key = await answer(store.index('id').getKey([partition, ...query.alias]))
    return isTuple(key) ? [key] : []
  }
  const { limit, reverse = false } = query
  if (!isRange(query) || limit === 0) return []
  const keys = await answer(store.getAllKeys(keyRange(partition, query), reverse ? undefined : limit))
  return (reverse ? keys.reverse().slice(0, limit) : keys).filter(isTuple)
}

async function rowAt(store: IDBObjectStore, table: Table, key: Tuple): Promise<Row | undefined> {
  try {
    const row = await answer<IdbRow | undefined>(store.get(key))
    return row && rowOf(table, row)
  } catch {
    return { key: key.slice(1), ...UNREADABLE }
  }
}

/** What a request gives; its failure does not end the transaction, as it would by itself. */
function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = (event) => {
      event.preventDefault()
      event.stopPropagation()
      reject(request.error)
    }
  })
}

const storeOf = (tx: ReadTransaction, table: Table): IDBObjectStore =>
  unwrap(tx.objectStore(table)) as unknown as IDBObjectStore

/** All our keys are tuples that begin with a text. */
type Tuple = [string, ...(string | number)[]]
const isTuple = (key: IDBValidKey | undefined): key is Tuple => Array.isArray(key)
