import { anyRows, placeOfRow } from '../../storage/keys.ts'
import { compareKeys, type Key, type Query, type Row, type Table } from '../../storage/storage.ts'
import { familyQueries, openWholeFamily, type Family } from '../store/family.ts'
import { unseal } from '../rows/seal.ts'
import type { Store } from '../store/store.ts'
import { isUnread } from '../store/unread.ts'
import type { Finding } from './finding.ts'

/** A family and some of its rows, at one moment. */
export interface Look {
  readonly family: Family
  /** All rows of threads can be read: only then is it known who shows what. */
  readonly isWhole: boolean
  readonly rows: readonly Row[][]
}

export async function look(store: Store, partition: string, queries: readonly Query[]): Promise<Look> {
  const found = await store.storage.read(partition, [...familyQueries, ...queries])
  const [threads = [], ...metas] = found
  const known = (table: Table, rows: readonly Row[]): Row[] =>
    rows.filter((row) => readingOf(partition, table, row)?.kind !== 'newer')
  const mine = known('threads', threads)
  const family = openWholeFamily(partition, [
    mine,
    ...metas.slice(0, familyQueries.length - 1).map((rows) => known('meta', rows)),
  ])
  return {
    family,
    isWhole: family.damaged.length === 0 && mine.length === threads.length,
    rows: found.slice(familyQueries.length),
  }
}

export const pageOf = (table: Table, after: Key | undefined, limit: number): Query => ({
  table,
  ...anyRows(after),
  limit,
})

/** Where the page after these rows begins, if there is one. */
export const lastOf = (rows: readonly Row[], limit: number): { last?: Key } => {
  const key = rows.at(-1)?.key
  return key && rows.length === limit ? { last: key } : {}
}

/** What is wrong with a row by itself: `damaged`, `newer`, or nothing. `open` is how it is read. */
export function readingOf(
  partition: string,
  table: Table,
  row: Row,
  open: () => unknown = () => unseal(partition, table, row),
): Finding | undefined {
  try {
    open()
    return undefined
  } catch (error) {
    return findingOf(partition, table, row, error)
  }
}

/** What it means that a row could not be read. */
export function findingOf(partition: string, table: Table, row: Row, error: unknown): Finding {
  if (!isUnread(error)) throw error
  const kind = error.code === 'FORMAT_TOO_NEW' ? 'newer' : 'damaged'
  return { kind, table, partition, row, ...placeOfRow(table, row.key), problem: error.message }
}

/** Neither changed nor another: all rows of one commit have the same version. */
export const isSame = (a: Row, b: Row): boolean => a.version === b.version && compareKeys(a.key, b.key) === 0
