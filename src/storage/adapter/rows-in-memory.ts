import {
  compareKeys,
  TABLES,
  type Batch,
  type Check,
  type Key,
  type Query,
  type Range,
  type Table,
} from '../storage.ts'

/** What a row in memory is found by. */
export interface Placed {
  readonly key: Key
  readonly alias?: Key
  readonly version: string
}

interface InOrder<R> {
  /** In order of their keys. */
  readonly rows: R[]
  readonly byAlias: Map<string, R>
}

/** The rows of one partition in memory, for adapters: found by key, by alias and by range. */
export class Tables<R extends Placed> {
  readonly #tables = Object.fromEntries(
    TABLES.map((table) => [table, { rows: [], byAlias: new Map() }]),
  ) as unknown as Record<Table, InOrder<R>>

  find(table: Table, key: Key): R | undefined {
    const { rows } = this.#tables[table]
    const row = rows[placeOf(rows, key)]
    return row && compareKeys(row.key, key) === 0 ? row : undefined
  }

  select(query: Query): R[] {
    if ('keys' in query) return query.keys.flatMap((key) => this.find(query.table, key) ?? [])
    if ('alias' in query) {
      const row = this.#tables.checkpoints.byAlias.get(JSON.stringify(query.alias))
      return row ? [row] : []
    }
    return this.inRange(query.table, query)
  }

  inRange(table: Table, { from, to, reverse, limit }: Range): R[] {
    const { rows } = this.#tables[table]
    const found = rows.slice(placeOf(rows, from), placeOf(rows, to))
    if (reverse) found.reverse()
    return found.slice(0, limit)
  }

  all(table: Table): readonly R[] {
    return this.#tables[table].rows
  }

  /** Whether all checks of a batch hold. */
  holds(checks: readonly Check[]): boolean {
    return checks.every(({ table, key, version }) => this.find(table, key)?.version === version)
  }

  get size(): number {
    return TABLES.reduce((sum, table) => sum + this.#tables[table].rows.length, 0)
  }

  /** What was there. */
  drop(table: Table, key: Key): R | undefined {
    const { rows, byAlias } = this.#tables[table]
    const at = placeOf(rows, key)
    const row = rows[at]
    if (!row || compareKeys(row.key, key) !== 0) return undefined
    rows.splice(at, 1)
    if (row.alias) byAlias.delete(JSON.stringify(row.alias))
    return row
  }

  /** What it has replaced. */
  store(table: Table, row: R): R | undefined {
    const { rows, byAlias } = this.#tables[table]
    const before = this.drop(table, row.key)
    rows.splice(placeOf(rows, row.key), 0, row)
    if (row.alias) byAlias.set(JSON.stringify(row.alias), row)
    return before
  }

  /** Whether a row is to have the alias of another one: of the same batch, or one that the batch does not delete. */
  takesAnothersAlias({ puts = [], deletes = [], deleteRanges = [] }: Batch): boolean {
    const claimed = new Map<string, Key>()
    const isDeleted = (key: Key): boolean =>
      deletes.some((gone) => gone.table === 'checkpoints' && compareKeys(gone.key, key) === 0) ||
      deleteRanges.some((gone) => gone.table === 'checkpoints' && isWithin(gone, key))
    return puts.some(({ key, alias }) => {
      if (!alias) return false
      const text = JSON.stringify(alias)
      const standing = this.#tables.checkpoints.byAlias.get(text)?.key
      const owner = claimed.get(text) ?? (standing && !isDeleted(standing) ? standing : key)
      claimed.set(text, key)
      return compareKeys(owner, key) !== 0
    })
  }
}

/** The place of the first row whose key is not lower. */
function placeOf(rows: readonly Placed[], key: Key): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys((rows[middle] as Placed).key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

const isWithin = ({ from, to }: Range, key: Key): boolean =>
  compareKeys(from, key) <= 0 && compareKeys(key, to) < 0
