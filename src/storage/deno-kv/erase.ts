import { TABLES, type Key, type Table } from '../storage.ts'
import type { DenoKv, KvEntry, KvKey } from './kv.ts'
import type { Partition, Places } from './places.ts'
import { keyOf, storedIn } from './stored.ts'

export interface GoneRange {
  readonly table: Table
  readonly from: Key
  readonly to: Key
}

/** All entries that a row has: its own, and those that lead to it. */
export function entriesOf(places: Places, partition: Partition, table: Table, entry: KvEntry): KvKey[] {
  const key = keyOf(entry)
  const { alias, rank } = storedIn(entry) ?? {}
  return [
    places.row(partition, table, key),
    ...(alias ? [places.alias(partition, alias)] : []),
    ...(table === 'threads' ? [places.thread(key)] : []),
    ...(rank === undefined ? [] : [places.rank(rank, key)]),
  ]
}

/** The rows of some ranges, each with its table. */
export async function* rowsIn(
  kv: DenoKv,
  places: Places,
  partition: Partition,
  ranges: readonly GoneRange[],
): AsyncGenerator<readonly [Table, KvEntry]> {
  for (const gone of ranges) {
    const range = places.rows(partition, gone.table, gone)
    if (!range) continue
    for await (const entry of kv.list(range)) yield [gone.table, entry]
  }
}

/** Every row of a partition, whatever its key. */
export const EVERYTHING: readonly GoneRange[] = TABLES.map((table) => ({ table, from: [], to: ['\uffff'] }))
