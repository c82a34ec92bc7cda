import { keyBytes } from '../adapter/limits.ts'
import { compareKeys, type Query, type Row } from '../storage.ts'
import { getAll, type DenoKv, type KvEntry, type KvKey } from './kv.ts'
import type { Partition, Places } from './places.ts'
import { rowOf, storedIn } from './stored.ts'

const BATCH = 500
/** What `getMany` takes, without the two entries that say whether all is as it was. */
const MOST_KEYS = 8

/**
 * One moment over all queries, of an engine that has it only for ten keys or one page of a range: the partition's revision
 * is looked at before and after. Undefined when it has changed; `sweep` when a removal has to be finished first.
 */
export async function readOnce(
  kv: DenoKv,
  places: Places,
  partition: Partition,
  queries: readonly Query[],
): Promise<Row[][] | 'sweep' | undefined> {
  const guards = [places.revision(partition), places.sweep(partition)]
  const few = fewKeys(places, partition, queries)
  const [before, sweep, ...found] = await kv.getMany([...guards, ...(few ?? [])])
  if (stampOf(sweep) !== null) return 'sweep'
  if (stampOf(before) === null) return queries.map(() => [])
  if (few) return [found.flatMap((entry) => rowOf(entry) ?? [])]
  const rows = await Promise.all(queries.map((query) => rowsOf(kv, places, partition, query)))
  const after = await kv.get(places.revision(partition))
  return after.versionstamp === stampOf(before) ? rows : undefined
}

const stampOf = (entry: KvEntry | undefined): string | null => entry?.versionstamp ?? null

/** The places of all that is asked for, where one call of the engine gives it. */
function fewKeys(places: Places, partition: Partition, queries: readonly Query[]): KvKey[] | undefined {
  const [query] = queries
  if (queries.length !== 1 || !query || !('keys' in query)) return undefined
  const fitting = query.keys.filter(fits)
  if (fitting.length > MOST_KEYS) return undefined
  return fitting.map((key) => places.row(partition, query.table, key))
}

async function rowsOf(kv: DenoKv, places: Places, partition: Partition, query: Query): Promise<Row[]> {
  if ('keys' in query) {
    const keys = query.keys.filter(fits).map((key) => places.row(partition, query.table, key))
    return (await getAll(kv, keys)).flatMap((entry) => rowOf(entry) ?? [])
  }
  if ('alias' in query) {
    if (!fits(query.alias)) return []
    const entry = await ownerOf(kv, places, partition, await kv.get(places.alias(partition, query.alias)))
    const row = entry && rowOf(entry)
    return row ? [row] : []
  }
  const { table, limit = Number.POSITIVE_INFINITY, reverse = false } = query
  const range = places.rows(partition, table, query)
  if (!range || limit <= 0) return []
  const options = {
    reverse,
    batchSize: Math.min(limit, BATCH),
    ...(Number.isSafeInteger(limit) ? { limit } : {}),
  }
  const rows: Row[] = []
  for await (const entry of kv.list(range, options)) rows.push(...[rowOf(entry) ?? []].flat())
  return rows
}

/** The row that an entry of an alias leads to, if that one still has it. */
export async function ownerOf(
  kv: DenoKv,
  places: Places,
  partition: Partition,
  { key, value, versionstamp }: KvEntry,
): Promise<KvEntry | undefined> {
  if (versionstamp === null) return undefined
  const owner = await kv.get(places.row(partition, 'checkpoints', value as string[]))
  const { alias } = storedIn(owner) ?? {}
  return alias && compareKeys(alias, key.slice(-alias.length) as string[]) === 0 ? owner : undefined
}

/** What is longer than any key that goes in is not there; the engine would call it an error. */
export const fits = (key: readonly (string | number)[]): boolean => keyBytes(key) <= MOST_KEY_BYTES
/** The engine's keys take 2,048 bytes; the rest is what stands before. */
export const MOST_KEY_BYTES = 1900
