import type { Key, Table } from '../storage.ts'

type KeyColumn = readonly [name: string, type: 'text' | 'bigint']

/** The columns of each table's keys, in order; in front of them stands `family`, which is the partition. */
export const KEY_COLUMNS: Readonly<Record<Table, readonly KeyColumn[]>> = {
  threads: [
    ['thread', 'text'],
    ['namespace', 'text'],
  ],
  checkpoints: [
    ['lane', 'text'],
    ['seq', 'bigint'],
  ],
  parts: [
    ['lane', 'text'],
    ['seq', 'bigint'],
    ['owner', 'text'],
    ['number', 'bigint'],
  ],
  writes: [
    ['lane', 'text'],
    ['seq', 'bigint'],
    ['task', 'text'],
    ['number', 'bigint'],
  ],
  meta: [
    ['name', 'text'],
    ['subject', 'text'],
  ],
}

export const nameOf = (table: Table): string => `forkpoint_${table}`

export const keyNames = (table: Table): string[] => KEY_COLUMNS[table].map(([name]) => name)

/** A key, or what stands for it in a range, by its columns. */
export const byColumns = (table: Table, key: Key, before = ''): Record<string, string | number> =>
  Object.fromEntries(KEY_COLUMNS[table].map(([name], i) => [before + name, key[i] as string | number]))

/**
 * A bound of a range as a whole key, so that every range is `bound <= key < bound`. A shorter bound comes before the keys
 * that begin with it, and so is filled up with the least there is; a longer one comes after the key that it begins with,
 * and so is the next one after that.
 */
export function wholeBound(table: Table, bound: Key): Key {
  const columns = KEY_COLUMNS[table]
  const filled = columns.map(([, type], i) => bound[i] ?? (type === 'text' ? '' : -1))
  return bound.length > columns.length ? keyAfter(filled) : filled
}

/** The least key that is greater. */
export function keyAfter(key: Key): Key {
  const last = key.at(-1) as string | number
  return [...key.slice(0, -1), typeof last === 'number' ? last + 1 : `${last}\u0001`]
}
