import type { ListedRow, ListQuery, Query, Range, Row, Table } from '../storage.ts'
import type { SqlRow, SqlValue, Statement } from './driver.ts'
import { selectById } from './ids.ts'
import { columnsOf, KEY_COLUMNS, nameOf } from './tables.ts'

export function selectQuery(partition: string, query: Query): Statement {
  const { table } = query
  const selected = `SELECT ${columnsOf(table)} FROM ${nameOf(table)}`
  if ('keys' in query) return selectKeys(partition, table, query.keys)
  if ('alias' in query) return selectById(columnsOf(table), partition, query.alias)
  const { sql, params } = within(partition, table, query)
  const order = KEY_COLUMNS[table].map((column) => `${column} ${query.reverse ? 'DESC' : 'ASC'}`)
  return {
    sql: `${selected} WHERE ${sql} ORDER BY ${order.join(', ')} LIMIT ?`,
    params: [...params, most(query.limit)],
  }
}

/** Which rows it finds, as of what version and how large, without what they hold. */
export function selectSizes(partition: string, query: Query): Statement {
  const { sql, params } = selectQuery(partition, query)
  const columns = [...KEY_COLUMNS[query.table], 'version'].join(', ')
  return { sql: `SELECT ${columns}, length(head) + coalesce(length(body), 0) AS size FROM (${sql})`, params }
}

/** A row that is known to be there, and was not read. */
export interface SizedRow extends Pick<Row, 'key' | 'version'> {
  readonly table: Table
  readonly size: number
}

/** In the order asked for, however many: one statement, and few parameters. */
function selectKeys(partition: string, table: Table, keys: readonly (readonly SqlValue[])[]): Statement {
  const same = KEY_COLUMNS[table].map((column, i) => `t.${column} = json_extract(k.value, '$[${i}]')`)
  const columns = columnsOf(table).replace(/\w+/g, 't.$& AS $&')
  return {
    sql: `SELECT ${columns} FROM json_each(?) AS k CROSS JOIN ${nameOf(table)} AS t
      ON t.family = ? AND ${same.join(' AND ')} ORDER BY k.key`,
    params: [JSON.stringify(keys), partition],
  }
}

/** A shorter bound comes before the keys that begin with it, a longer one after the key that it begins with. */
export function within(partition: string, table: Table, { from, to }: Range): Statement {
  const columns = KEY_COLUMNS[table]
  const bound = (key: Range['from'], whole: string, beyond: string): string => {
    const named = columns.slice(0, key.length)
    const marks = named.map(() => '?').join(', ')
    return `(${named.join(', ')}) ${key.length > columns.length ? beyond : whole} (${marks})`
  }
  const conditions = [
    'family = ?',
    ...(from.length > 0 ? [bound(from, '>=', '>')] : []),
    to.length > 0 ? bound(to, '<', '<=') : 'FALSE',
  ]
  const fits = (key: Range['from']): Range['from'] => key.slice(0, columns.length)
  return { sql: conditions.join(' AND '), params: [partition, ...fits(from), ...fits(to)] }
}

export const LOCATE = `SELECT family, ${columnsOf('threads')} FROM forkpoint_threads
  WHERE thread = ? AND namespace = ?`

export function selectList({ limit, after }: ListQuery): Statement {
  const beyond = after && beyondCursor(after)
  return {
    sql: `SELECT family, rank, ${columnsOf('threads')} FROM forkpoint_threads
      WHERE rank IS NOT NULL ${beyond?.sql ?? ''} ORDER BY rank DESC, thread, namespace LIMIT ?`,
    params: [...(beyond?.params ?? []), most(limit)],
  }
}

function beyondCursor({ rank, key }: NonNullable<ListQuery['after']>): Statement {
  if (key.length === 0) return { sql: 'AND rank <= ?', params: [rank] }
  const { threads } = KEY_COLUMNS
  const columns = threads.slice(0, key.length)
  // A shorter key comes before those that begin with it, so these are beyond it.
  const greater = key.length < threads.length ? '>=' : '>'
  const marks = columns.map(() => '?').join(', ')
  return {
    sql: `AND rank <= ? AND (rank < ? OR (${columns.join(', ')}) ${greater} (${marks}))`,
    params: [rank, rank, ...key.slice(0, columns.length)],
  }
}

/** From one family to the next by the indexes: the rows of each are passed over. */
export function selectPartitions(after: string | undefined, limit: number): Statement {
  const tables = Object.keys(KEY_COLUMNS) as Table[]
  const least = (condition: string): string => {
    const each = tables.map(
      (table) => `SELECT min(family) AS f FROM ${nameOf(table)} WHERE family ${condition}`,
    )
    return `(SELECT min(f) FROM (${each.join(' UNION ALL ')}))`
  }
  return {
    sql: `WITH RECURSIVE found (family) AS (
        SELECT ${least(after === undefined ? '>= ?' : '> ?')}
        UNION ALL SELECT ${least('> found.family')} FROM found WHERE found.family IS NOT NULL
      ) SELECT family FROM found WHERE family IS NOT NULL LIMIT ?`,
    params: [...tables.map(() => after ?? ''), most(limit)],
  }
}

/** SQLite's word for no limit is -1, and a limit beyond 2^51 that comes as a double is refused. */
const most = (limit = Number.POSITIVE_INFINITY): number => (limit < 2 ** 31 ? limit : -1)

const keyOf = (table: Table, row: SqlRow): Row['key'] =>
  KEY_COLUMNS[table].map((column) => row[column] as string | number)

export const sizedRowOf = (table: Table, row: SqlRow): SizedRow => ({
  table,
  key: keyOf(table, row),
  version: row['version'] as string,
  size: row['size'] as number,
})

export function rowOf(table: Table, row: SqlRow): Row {
  const { head, body, version } = row
  return {
    key: keyOf(table, row),
    head: typeof head === 'string' ? head : '',
    version: version as string,
    ...(body === null ? {} : { body: bytesFrom(body) }),
  }
}

export const listedRowOf = (row: SqlRow): ListedRow => ({
  ...rowOf('threads', row),
  partition: row['family'] as string,
  rank: row['rank'] as number,
})

/**
 * As a plain array of bytes: engines give it, one of their own kind, a buffer, or a list of numbers. What somebody else has
 * put there may be no bytes: the row's sum tells.
 */
function bytesFrom(blob: unknown): Uint8Array {
  if (typeof blob !== 'object') return new Uint8Array()
  if (blob instanceof Uint8Array) return new Uint8Array(blob.buffer, blob.byteOffset, blob.byteLength)
  return new Uint8Array(blob as ArrayBuffer | number[])
}
