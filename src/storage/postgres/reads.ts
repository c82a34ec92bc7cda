import { compareKeys, type ListedRow, type ListQuery, type Query, type Row, type Table } from '../storage.ts'
import type { PgRow, PgValue, Statement } from './driver.ts'
import { byColumns, KEY_COLUMNS, keyNames, nameOf, wholeBound } from './tables.ts'

/** What is selected of every row. Keys come as JSON, in which a number is one whatever a library makes of `bigint`. */
const columnsOf = (table: Table): string =>
  `json_build_array(${keyNames(table)
    .map((name) => `t.${name}`)
    .join(', ')})::text AS key, t.head, t.body, t.version`

/** Parameters of one statement, numbered as they come. */
class Params {
  readonly values: PgValue[] = []

  add(value: PgValue): string {
    return `$${this.values.push(value)}`
  }
}

/** All queries as one statement, since each statement sees one moment. Its rows are in no order. */
export function selectQueries(partition: string, queries: readonly Query[]): Statement {
  const params = new Params()
  const family = params.add(partition)
  const selects = queries.map((query, i) => `(SELECT ${i} AS query, ${selectQuery(query, family, params)})`)
  return { sql: selects.join('\nUNION ALL\n'), params: params.values }
}

function selectQuery(query: Query, family: string, params: Params): string {
  const { table } = query
  const rows = `${columnsOf(table)} FROM ${nameOf(table)} AS t`
  if ('alias' in query) {
    const [lane, id] = query.alias.map((part) => params.add(part))
    return `${rows} WHERE t.family = ${family} AND t.lane = ${lane} AND t.id = ${id}`
  }
  const names = keyNames(table)
  if ('keys' in query) {
    const keys = params.add(JSON.stringify(query.keys.map((key) => byColumns(table, key))))
    const columns = KEY_COLUMNS[table].map(([name, type]) => `${name} ${type}`)
    const same = names.map((name) => `t.${name} = k.${name}`)
    return `${rows} JOIN jsonb_to_recordset(${keys}::text::jsonb) AS k(${columns.join(', ')})
      ON ${same.join(' AND ')} WHERE t.family = ${family}`
  }
  const from = wholeBound(table, query.from)
  const to = wholeBound(table, query.to)
  const key = names.map((name) => `t.${name}`)
  const bound = (whole: typeof from): string =>
    whole.map((part, i) => `${params.add(part)}::${KEY_COLUMNS[table][i]?.[1]}`).join(', ')
  // Says nothing new, but tells the planner how few rows these are.
  const inOne = from[0] === to[0] ? ` AND ${key[0]} = ${params.add(from[0] as string)}` : ''
  const order = key.map((column) => `${column} ${query.reverse ? 'DESC' : 'ASC'}`).join(', ')
  const most = mostOf(query.limit)
  const limited = most === null ? '' : ` ORDER BY ${order} LIMIT ${params.add(most)}::bigint`
  return `${rows} WHERE t.family = ${family}${inOne}
      AND (${key.join(', ')}) >= (${bound(from)}) AND (${key.join(', ')}) < (${bound(to)})${limited}`
}

const mostOf = (limit = Number.POSITIVE_INFINITY): number | null =>
  limit < Number.MAX_SAFE_INTEGER ? limit : null

/** The rows of each query, in the order that it asks for. */
export function rowsByQuery(queries: readonly Query[], found: readonly PgRow[]): Row[][] {
  const lists: Row[][] = queries.map(() => [])
  for (const row of found) lists[Number(row['query'])]?.push(rowOf(row))
  return queries.map((query, i) => inOrder(query, lists[i] ?? []))
}

function inOrder(query: Query, rows: Row[]): Row[] {
  if ('keys' in query) {
    const byKey = new Map(rows.map((row) => [JSON.stringify(row.key), row]))
    return query.keys.flatMap((key) => byKey.get(JSON.stringify(key)) ?? [])
  }
  if ('alias' in query) return rows
  const sign = query.reverse ? -1 : 1
  return rows.sort((a, b) => sign * compareKeys(a.key, b.key))
}

export const LOCATE = `SELECT t.family, ${columnsOf('threads')} FROM forkpoint_threads AS t
  WHERE t.thread = $1 AND t.namespace = $2`

export function selectList({ limit, after }: ListQuery): Statement {
  const params = new Params()
  const conditions = ['t.rank IS NOT NULL']
  if (after) {
    const rank = `${params.add(after.rank)}::double precision`
    // A shorter key comes before those that begin with it, so these are beyond it.
    const isWhole = after.key.length >= KEY_COLUMNS.threads.length
    const key = wholeBound('threads', after.key).map((part) => `${params.add(part)}::text`)
    const beyond = `(t.thread, t.namespace) ${isWhole ? '>' : '>='} (${key.join(', ')})`
    conditions.push(`t.rank <= ${rank} AND (t.rank < ${rank} OR ${beyond})`)
  }
  return {
    sql: `SELECT t.family, t.rank, ${columnsOf('threads')} FROM forkpoint_threads AS t
      WHERE ${conditions.join(' AND ')} ORDER BY t.rank DESC, t.thread, t.namespace
      LIMIT ${params.add(mostOf(limit))}::bigint`,
    params: params.values,
  }
}

/** From one family to the next by the indexes: the rows of each are passed over. */
export function selectPartitions(after: string | undefined, limit: number): Statement {
  const least = (condition: string): string => {
    const each = (Object.keys(KEY_COLUMNS) as Table[]).map(
      (table) => `(SELECT min(family) FROM ${nameOf(table)} WHERE family ${condition})`,
    )
    return `least(${each.join(', ')})`
  }
  return {
    sql: `WITH RECURSIVE found (family) AS (
        SELECT ${least(after === undefined ? '>= $1' : '> $1')}
        UNION ALL SELECT ${least('> found.family')} FROM found WHERE found.family IS NOT NULL
      ) SELECT family FROM found WHERE family IS NOT NULL LIMIT $2::bigint`,
    params: [after ?? '', mostOf(limit)],
  }
}

export function rowOf({ key, head, body, version }: PgRow): Row {
  return {
    key: JSON.parse(key as string) as Row['key'],
    head: head as string,
    version: version as string,
    ...(body === null ? {} : { body: bytesFrom(body) }),
  }
}

export const listedRowOf = (row: PgRow): ListedRow => ({
  ...rowOf(row),
  partition: row['family'] as string,
  rank: Number(row['rank']),
})

/** As a plain array of bytes: libraries give it, a buffer of their own, or where told to parse nothing the text. */
function bytesFrom(bytea: unknown): Uint8Array {
  if (bytea instanceof Uint8Array) return new Uint8Array(bytea.buffer, bytea.byteOffset, bytea.byteLength)
  const hex = (bytea as string).slice(2)
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  )
}
