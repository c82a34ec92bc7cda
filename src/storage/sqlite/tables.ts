import type { Key, Table } from '../storage.ts'

/** The columns of each table's keys, in order; in front of them stands `family`, which is the partition. */
export const KEY_COLUMNS: Readonly<Record<Table, readonly string[]>> = {
  threads: ['thread', 'namespace'],
  checkpoints: ['lane', 'seq'],
  parts: ['lane', 'seq', 'owner', 'number'],
  writes: ['lane', 'seq', 'task', 'number'],
  meta: ['name', 'subject'],
}

export const nameOf = (table: Table): string => `forkpoint_${table}`

/** What is selected of every row. */
export const columnsOf = (table: Table): string =>
  [...KEY_COLUMNS[table], 'head', 'body', 'version'].join(', ')

/** `family = ? AND lane = ? AND seq = ?` */
export const isRow = (table: Table): string =>
  ['family', ...KEY_COLUMNS[table]].map((column) => `${column} = ?`).join(' AND ')

export const paramsOf = (partition: string, key: Key): (string | number)[] => [partition, ...key]
