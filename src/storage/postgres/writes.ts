import { joined } from '../../platform/bytes.ts'
import { TABLES, type Batch, type Key, type Put, type Table } from '../storage.ts'
import type { Statement } from './driver.ts'
import { forPeople } from './facts.ts'
import { byColumns, keyAfter, keyNames, nameOf, wholeBound } from './tables.ts'

/** A batch as one call of the function in the schema. Its bodies travel as one value: a list of them would be text. */
export function commitStatement(partition: string, batch: Batch, version: string): Statement {
  const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
  const work = new Work()
  for (const check of checks)
    work.add('check', check.table, { ...byColumns(check.table, check.key), version: check.version ?? null })
  const ranges = [
    ...deleteRanges.map(
      ({ table, from, to }) => [table, wholeBound(table, from), wholeBound(table, to)] as const,
    ),
    ...deletes.map(({ table, key }) => [table, key, keyAfter(key)] as const),
  ]
  for (const [table, from, to] of ranges)
    work.add('delete', table, { ...byColumns(table, from), ...byColumns(table, to, 'to_') })
  for (const put of puts) work.put(put)
  return {
    sql: 'SELECT forkpoint_write($1, $2, $3::text::jsonb, $4::bytea) AS ok',
    params: [partition, version, work.json(), work.bodies()],
  }
}

class Work {
  readonly #lists = { check: [] as object[], delete: [] as object[], put: [] as object[] }
  readonly #bodies: Uint8Array[] = []
  /** The first byte of a value has the number 1. */
  #at = 1

  add(what: 'check' | 'delete' | 'put', table: Table, row: object): void {
    this.#lists[what].push({ table, ...row })
  }

  put(put: Put): void {
    const { table, key, head, body, alias, rank } = put
    this.add('put', table, {
      ...byColumns(table, key),
      ...(alias ? { id: alias[1] } : {}),
      ...(rank === undefined ? {} : { rank }),
      ...forPeople(put),
      head,
      ...(body ? { at: this.#at, size: body.length } : {}),
    })
    if (!body) return
    this.#bodies.push(body)
    this.#at += body.length
  }

  json(): string {
    return JSON.stringify(this.#lists)
  }

  bodies(): Uint8Array | null {
    if (this.#bodies.length < 2) return this.#bodies[0] ?? null
    return joined(this.#bodies)
  }
}

/** Finds the row that tells whether a batch was carried out: nobody else gives a row its version. */
export function selectWitness(partition: string, { puts = [] }: Batch): Statement | undefined {
  const [put] = puts
  return put && selectVersion(partition, put.table, put.key)
}

function selectVersion(partition: string, table: Table, key: Key): Statement {
  const isRow = keyNames(table).map((name, i) => ` AND ${name} = $${i + 2}`)
  return {
    sql: `SELECT version FROM ${nameOf(table)} WHERE family = $1${isRow.join('')}`,
    params: [partition, ...key],
  }
}

/** Whoever is writing comes before it or after it, and nobody in its midst. */
export const DELETE_ALL: Statement = {
  sql: `DO $forkpoint$ BEGIN
LOCK TABLE ${TABLES.map(nameOf).join(', ')} IN EXCLUSIVE MODE;
${TABLES.map((table) => `DELETE FROM ${nameOf(table)};`).join('\n')}
END $forkpoint$`,
  params: [],
}
