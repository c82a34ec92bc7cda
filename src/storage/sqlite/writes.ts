import { TABLES, type Batch, type Check, type Put, type Range, type Table } from '../storage.ts'
import type { Statement } from './driver.ts'
import { putCheckpoint } from './ids.ts'
import { within } from './reads.ts'
import { isRow, KEY_COLUMNS, nameOf, paramsOf } from './tables.ts'

/** A batch as statements, in order: what must hold, what goes, what comes. One that fails takes back all. */
export function statementsOf(partition: string, batch: Batch, version: string): Statement[] {
  const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
  return [
    ...checks.map((check) => guard(partition, check)),
    ...deleteRanges.map((gone) => deleteRange(partition, gone)),
    ...deletes.map(({ table, key }) => ({
      sql: `DELETE FROM ${nameOf(table)} WHERE ${isRow(table)}`,
      params: paramsOf(partition, key),
    })),
    ...puts.map((put) => statementOfPut(partition, put, version)),
  ]
}

/** Fails when the row has another version: an engine that has only batches can stop in their midst in no other way. */
function guard(partition: string, { table, key, version }: Check): Statement {
  return {
    sql: `INSERT INTO forkpoint_guard (holds) SELECT 0
      WHERE (SELECT version FROM ${nameOf(table)} WHERE ${isRow(table)}) IS NOT ?`,
    params: [...paramsOf(partition, key), version ?? null],
  }
}

function deleteRange(partition: string, gone: Range & { readonly table: Table }): Statement {
  const { sql, params } = within(partition, gone.table, gone)
  return { sql: `DELETE FROM ${nameOf(gone.table)} WHERE ${sql}`, params }
}

function statementOfPut(partition: string, put: Put, version: string): Statement {
  const { table, key, head, body, rank } = put
  if (table === 'checkpoints') return putCheckpoint(partition, put, version)
  const ranks = table === 'threads' ? [rank ?? null] : []
  const params = [partition, ...key, head, version, ...ranks]
  // Some libraries take an empty array for NULL.
  return body?.length === 0
    ? { sql: putting(table, `x''`), params }
    : { sql: putting(table, '?'), params: [...params, body ?? null] }
}

function putting(table: Table, body: string): string {
  const isThreads = table === 'threads'
  const columns = ['family', ...KEY_COLUMNS[table], 'head', 'version', ...(isThreads ? ['rank'] : [])]
  return `INSERT INTO ${nameOf(table)} (${columns.join(', ')}, body)
      VALUES (${columns.map(() => '?').join(', ')}, ${body})
      ${isThreads ? THREAD_STAYS : replacing(table)}`
}

const replacing = (table: Table): string =>
  `ON CONFLICT (${['family', ...KEY_COLUMNS[table]].join(', ')}) DO UPDATE SET
        head = excluded.head, body = excluded.body, version = excluded.version`

/** One that stands in another family is not replaced: without a version the statement fails. */
const THREAD_STAYS = `ON CONFLICT (thread, namespace) DO UPDATE SET
        head = excluded.head, body = excluded.body, rank = excluded.rank,
        version = CASE WHEN family = excluded.family THEN excluded.version END`

/** Finds the row that tells whether a batch was carried out: nobody else gives a row its version. */
export function selectWitness(partition: string, { puts = [] }: Batch): Statement | undefined {
  const [put] = puts
  return (
    put && {
      sql: `SELECT version FROM ${nameOf(put.table)} WHERE ${isRow(put.table)}`,
      params: paramsOf(partition, put.key),
    }
  )
}

export const DELETE_ALL: readonly Statement[] = TABLES.map((table) => ({
  sql: `DELETE FROM ${nameOf(table)}`,
  params: [],
}))
