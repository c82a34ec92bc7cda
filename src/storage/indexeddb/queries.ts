import type { IDBPObjectStore } from 'idb'
import { bodyOf, isRange, keyOf, keyRange, rowOf, type IdbRow, type Schema } from './schema.ts'
import type { Query, Row, Table } from '../storage.ts'

type ReadStore = IDBPObjectStore<Schema, Table[], Table, 'readonly'>

/** A request takes the engine up to 80 µs to send, so not very many are sent at once: other tasks run in between. */
const REQUESTS_AT_ONCE = 32

/** What is asked of each, in order, within one transaction. */
export async function eachOf<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const found: R[] = []
  for (let from = 0; from < items.length; from += REQUESTS_AT_ONCE)
    for (const each of await Promise.all(items.slice(from, from + REQUESTS_AT_ONCE).map(ask)))
      found.push(each)
  return found
}

export async function runQuery(store: ReadStore, partition: string, query: Query): Promise<Row[]> {
  const { table } = query
  const rows = (found: readonly (IdbRow | undefined)[]): Row[] =>
    found.filter((row) => row !== undefined).map((row) => rowOf(table, row))
  if ('keys' in query) return rows(await eachOf(query.keys, (key) => store.get([partition, ...key])))
  if ('alias' in query) return rows([await store.index('id').get([partition, ...query.alias])])
  // To IndexedDB a limit of 0 is none.
  if (!isRange(query) || query.limit === 0) return []
  const range = keyRange(partition, query)
  if (!query.reverse && table === 'parts') return rows(await partsIn(store, range, query.limit))
  if (!query.reverse) return rows(await store.getAll(range, query.limit))
  return rows(await lastRows(store, range, query.limit))
}

/** Parts are up to 1 MiB each, of which an engine takes a millisecond or two to make one out of an answer … */
const PARTS_AT_ONCE = 2
/**
 * … but are mostly far smaller: then more are asked for, as many as make an answer of this size. Chromium 156 takes 8 MB in
 * parts of 40 KB in 28 ms by four at a time, in 47 by two and sixteen in turns, and in 116 at once.
 */
const ANSWER = 160 * 1024
const SMALL_AT_ONCE = 16

/** What `getAll` gives, in answers that are never very large: other tasks run between them. */
async function partsIn(
  store: ReadStore,
  range: IDBKeyRange,
  limit = Number.POSITIVE_INFINITY,
): Promise<IdbRow[]> {
  const found: IdbRow[] = []
  let rest = range
  for (let most = PARTS_AT_ONCE; ;) {
    const asked = Math.min(most, limit - found.length)
    const some = await store.getAll(rest, asked)
    found.push(...some)
    const last = some.at(-1)
    if (!last || some.length < asked || found.length >= limit) return found
    const bytes = some.reduce((sum, row) => sum + (bodyOf(row)?.length ?? 0), 0)
    const small = Math.floor((ANSWER * some.length) / Math.max(1, bytes))
    most = Math.min(SMALL_AT_ONCE, Math.max(PARTS_AT_ONCE, small))
    rest = IDBKeyRange.bound(keyOf('parts', last), range.upper, true, range.upperOpen)
  }
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
export async function families(
  store: ReadStore,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
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
