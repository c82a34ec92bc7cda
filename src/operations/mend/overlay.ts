import {
  compareKeys,
  type Batch,
  type CommitResult,
  type Key,
  type ListedRow,
  type ListQuery,
  type Put,
  type Query,
  type Range,
  type Row,
  type Storage,
  type Table,
} from '../../storage/storage.ts'

interface Written {
  readonly partition: string
  readonly table: Table
  readonly key: Key
  /** Absent when the row was deleted. */
  readonly row?: Row & Pick<Put, 'alias' | 'rank'>
}

/** A storage as it would be: reads what is there, and keeps what is written to itself. For a plan. */
export function overlay(storage: Storage): Storage {
  return new Overlay(storage)
}

class Overlay implements Storage {
  readonly limits: Storage['limits']
  readonly #under: Storage
  readonly #written = new Map<string, Written>()
  #commits = 0

  constructor(under: Storage) {
    this.#under = under
    this.limits = under.limits
  }

  async read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    const more = this.#written.size
    const found = await this.#under.read(
      partition,
      queries.map((query) => withLimit(query, more)),
    )
    return queries.map((query, i) => this.#merged(partition, query, found[i] ?? []))
  }

  #merged(partition: string, query: Query, under: readonly Row[]): Row[] {
    const mine = [...this.#written.values()].filter(
      (each) => each.partition === partition && each.table === query.table,
    )
    const untouched = under.filter(({ key }) => !mine.some((each) => compareKeys(each.key, key) === 0))
    const added = mine.flatMap(({ row }) => (row && fits(query, row) ? [row] : []))
    const rows = [...untouched, ...added]
    if (!('from' in query)) return rows
    rows.sort((a, b) => compareKeys(a.key, b.key))
    if (query.reverse) rows.reverse()
    return rows.slice(0, query.limit)
  }

  async commit(
    partition: string,
    { checks = [], puts = [], deletes = [], deleteRanges = [] }: Batch,
  ): Promise<CommitResult> {
    for (const { table, key, version } of checks) {
      const [[row] = []] = await this.read(partition, [{ table, keys: [key] }])
      if (row?.version !== version) return { ok: false }
    }
    const version = `planned ${++this.#commits}`
    for (const { table, ...range } of deleteRanges) {
      const [rows = []] = await this.read(partition, [{ table, ...range }])
      for (const { key } of rows) this.#write({ partition, table, key })
    }
    for (const { table, key } of deletes) this.#write({ partition, table, key })
    for (const { table, ...put } of puts)
      this.#write({ partition, table, key: put.key, row: { ...put, version } })
    return { ok: true, version }
  }

  #write(written: Written): void {
    this.#written.set(JSON.stringify([written.partition, written.table, written.key]), written)
  }

  async locate(key: Key): Promise<{ readonly partition: string; readonly row: Row } | undefined> {
    const found = await this.#under.locate(key)
    const mine = this.#threads().filter((each) => compareKeys(each.key, key) === 0)
    for (const { partition, row } of mine) if (row) return { partition, row }
    return found && mine.some(({ partition }) => partition === found.partition) ? undefined : found
  }

  async list({ limit, after }: ListQuery): Promise<ListedRow[]> {
    const mine = this.#threads()
    const under = await this.#under.list({ limit: limit + mine.length, ...(after ? { after } : {}) })
    const isMine = (row: ListedRow): boolean =>
      mine.some(({ partition, key }) => partition === row.partition && compareKeys(key, row.key) === 0)
    const added = mine.flatMap(({ partition, row }): ListedRow[] =>
      row?.rank === undefined ? [] : [{ ...row, partition, rank: row.rank }],
    )
    return [...under.filter((row) => !isMine(row)), ...added.filter((row) => isAfter(row, after))]
      .sort((a, b) => b.rank - a.rank || compareKeys(a.key, b.key))
      .slice(0, limit)
  }

  #threads(): Written[] {
    return [...this.#written.values()].filter(({ table }) => table === 'threads')
  }

  partitions(query: Parameters<Storage['partitions']>[0]): Promise<string[]> {
    return this.#under.partitions(query)
  }

  async destroy(): Promise<void> {
    this.#written.clear()
  }

  async close(): Promise<void> {}
}

/** What was deleted here must not use up the limit of what is there. */
const withLimit = (query: Query, more: number): Query =>
  'from' in query && query.limit !== undefined ? { ...query, limit: query.limit + more } : query

function fits(query: Query, row: Row & Pick<Put, 'alias'>): boolean {
  if ('keys' in query) return query.keys.some((key) => compareKeys(key, row.key) === 0)
  if ('alias' in query) return row.alias !== undefined && compareKeys(query.alias, row.alias) === 0
  return isWithin(query, row.key)
}

const isWithin = ({ from, to }: Range, key: Key): boolean =>
  compareKeys(from, key) <= 0 && compareKeys(key, to) < 0

const isAfter = ({ rank, key }: ListedRow, after: ListQuery['after']): boolean =>
  !after || rank < after.rank || (rank === after.rank && compareKeys(key, after.key) > 0)
