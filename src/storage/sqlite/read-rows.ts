import { CheckpointerError } from '../../errors.ts'
import type { Key, ListedRow, ListQuery, Query, Row, Table } from '../storage.ts'
import type { SqliteDriver, SqlRow, Statement } from './driver.ts'
import { isTooMuch } from './errors.ts'
import {
  listedRowOf,
  rowOf,
  selectList,
  selectQuery,
  selectSizes,
  sizedRowOf,
  type SizedRow,
} from './reads.ts'

/** Bytes of an answer that every engine gives. A row may be larger, and comes alone. */
const MOST_BYTES = 4 * 1024 * 1024
/** In milliseconds. An answer that took longer is followed by smaller ones: who stands in between may not wait for ever. */
const LONG = 5000
/** How often it begins anew, when others write. What has come by then is not read again. */
const TRIES = 20
/** Rows of a list, where all at once are too much. */
const LISTED = 64

/** The rows of several queries, all of one moment. */
export async function readRows(
  driver: SqliteDriver,
  partition: string,
  queries: readonly Query[],
): Promise<Row[][]> {
  try {
    const found = await select(
      driver,
      queries.map((query) => selectQuery(partition, query)),
    )
    return queries.map(({ table }, i) => (found[i] ?? []).map((row) => rowOf(table, row)))
  } catch (error) {
    if (!isTooMuch(error)) throw error
    return readInPieces(driver, partition, queries)
  }
}

/** A list, where one answer does not hold it in pieces, each of which goes on where the one before has ended. */
export async function readList(driver: SqliteDriver, query: ListQuery): Promise<ListedRow[]> {
  try {
    return (await driver.all(selectList(query))).map(listedRowOf)
  } catch (error) {
    if (!isTooMuch(error) || query.limit <= 1) throw error
  }
  const limit = Math.ceil(Math.min(query.limit, 2 * LISTED) / 2)
  const listed: ListedRow[] = []
  let { after } = query
  for (let isOver = false; !isOver && listed.length < query.limit;) {
    const rest = Math.min(limit, query.limit - listed.length)
    const some = await readList(driver, { limit: rest, ...(after ? { after } : {}) })
    listed.push(...some)
    after = some.at(-1)
    isOver = some.length < rest
  }
  return listed
}

/**
 * What is too much for one answer. First all versions, at one moment; then the rows, in answers of their own, which need not be
 * of one moment: a row that has the version that it had then is as it was. A transaction over all of them would end
 * where it is not used for a few seconds, which an answer takes on a slow way.
 */
async function readInPieces(
  driver: SqliteDriver,
  partition: string,
  queries: readonly Query[],
): Promise<Row[][]> {
  const pieces = new Pieces(driver, partition)
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await select(
      driver,
      queries.map((query) => selectSizes(partition, query)),
    )
    const wanted = queries.flatMap(({ table }, i) => (found[i] ?? []).map((row) => sizedRowOf(table, row)))
    if (!(await pieces.bring(wanted))) continue
    return queries.map(({ table }, i) => (found[i] ?? []).map((row) => pieces.row(sizedRowOf(table, row))))
  }
  throw new CheckpointerError(
    'BLOCKED',
    'What was to be read is more than one answer of the database holds, and others have changed it all the time. Try again.',
  )
}

/** The rows that have come so far. */
class Pieces {
  readonly #driver: SqliteDriver
  readonly #partition: string
  readonly #rows = new Map<string, Row>()
  #most = MOST_BYTES

  constructor(driver: SqliteDriver, partition: string) {
    this.#driver = driver
    this.#partition = partition
  }

  row(wanted: SizedRow): Row {
    return this.#rows.get(nameOf(wanted)) as Row
  }

  /** `false`: some have changed since, or have gone. */
  async bring(wanted: readonly SizedRow[]): Promise<boolean> {
    const missing = wanted.filter((each) => !this.#rows.has(nameOf(each)))
    for (let done = 0; done < missing.length;) {
      const some = firstOf(missing.slice(done), this.#most)
      if (!(await this.#fetch(some))) continue
      done += some.length
      if (some.some((each) => !this.#rows.has(nameOf(each)))) return false
    }
    return true
  }

  /** `false`: it was too much at once. The next is smaller, as after one that took long. */
  async #fetch(some: readonly SizedRow[]): Promise<boolean> {
    const keys = new Map<Table, Key[]>()
    for (const { table, key } of some) keys.set(table, [...(keys.get(table) ?? []), key])
    const queries = [...keys].map(([table, own]) => ({ table, keys: own }))
    const began = performance.now()
    try {
      const found = await select(
        this.#driver,
        queries.map((query) => selectQuery(this.#partition, query)),
      )
      for (const [i, { table }] of queries.entries())
        for (const row of (found[i] ?? []).map((each) => rowOf(table, each)))
          this.#rows.set(nameOf({ table, ...row }), row)
    } catch (error) {
      if (!isTooMuch(error) || some.length === 1) throw error
      this.#most /= 2
      return false
    }
    if (performance.now() - began > LONG) this.#most /= 2
    return true
  }
}

/** Also when it was put again, a row is another one. */
const nameOf = ({ table, key, version }: Omit<SizedRow, 'size'>): string =>
  `${table} ${JSON.stringify(key)} ${version}`

/** As many as are no larger together; one in any case. */
function firstOf(rows: readonly SizedRow[], most: number): readonly SizedRow[] {
  let bytes = 0
  const end = rows.findIndex(({ size }, i) => (bytes += size) > most && i > 0)
  return end === -1 ? rows : rows.slice(0, end)
}

async function select(
  driver: SqliteDriver,
  statements: readonly Statement[],
): Promise<readonly (readonly SqlRow[])[]> {
  const [first] = statements
  if (!first) return []
  return statements.length === 1 ? [await driver.all(first)] : driver.batch(statements, 'read')
}
