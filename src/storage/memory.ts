import { CheckpointerError } from '../errors.ts'
import { refuseTooLarge } from './limits.ts'
import {
  compareKeys,
  TABLES,
  type Batch,
  type CommitResult,
  type Key,
  type Limits,
  type ListedRow,
  type ListQuery,
  type Put,
  type Query,
  type Range,
  type Row,
  type Storage,
  type Table,
} from './storage.ts'

interface MemoryRow extends Row {
  readonly alias?: Key
  readonly rank?: number
}

interface MemoryTable {
  /** In order of their keys. */
  readonly rows: MemoryRow[]
  readonly byAlias: Map<string, MemoryRow>
}

type Partition = Record<Table, MemoryTable>

export interface MemoryStorageOptions {
  /** Bounds to keep, so that code for engines with small ones can be tried here. */
  readonly limits?: Partial<Limits>
}

/** Keeps everything in this process, for as long as it runs. For tests, and for what need not outlive a page. */
export function memoryStorage(options: MemoryStorageOptions = {}): Storage {
  const unbounded = Number.POSITIVE_INFINITY
  return new MemoryStorage({
    keyBytes: 4096,
    valueBytes: unbounded,
    operations: unbounded,
    commitBytes: unbounded,
    ...options.limits,
  })
}

class MemoryStorage implements Storage {
  readonly limits: Limits
  readonly #partitions = new Map<string, Partition>()
  #commits = 0
  #closed = false

  constructor(limits: Limits) {
    this.limits = limits
  }

  async read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    this.#refuseWhenClosed()
    return queries.map((query) => this.#query(this.#partitions.get(partition)?.[query.table], query))
  }

  #query(table: MemoryTable | undefined, query: Query): Row[] {
    if (!table) return []
    if ('keys' in query) return query.keys.flatMap((key) => find(table, key) ?? []).map(copyOf)
    if ('alias' in query) {
      const row = table.byAlias.get(JSON.stringify(query.alias))
      return row ? [copyOf(row)] : []
    }
    const rows = inRange(table, query)
    if (query.reverse) rows.reverse()
    return rows.slice(0, query.limit).map(copyOf)
  }

  async commit(name: string, batch: Batch): Promise<CommitResult> {
    this.#refuseWhenClosed()
    refuseTooLarge(this.limits, batch)
    const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
    const partition = this.#partitions.get(name) ?? newPartition()
    if (checks.some(({ table, key, version }) => find(partition[table], key)?.version !== version))
      return { ok: false }
    if (puts.some(({ table, key }) => table === 'threads' && this.#livesElsewhere(name, key)))
      return { ok: false }
    if (takesAnothersAlias(partition.checkpoints, batch)) return { ok: false }
    const version = String(++this.#commits)
    // From here on nothing may fail: all copies are made before the first row is touched.
    const rows = puts.map((put) => [put.table, rowOf(put, version)] as const)
    this.#partitions.set(name, partition)
    for (const { table, from, to } of deleteRanges)
      for (const row of inRange(partition[table], { from, to })) drop(partition[table], row.key)
    for (const { table, key } of deletes) drop(partition[table], key)
    for (const [table, row] of rows) store(partition[table], row)
    if (TABLES.every((table) => partition[table].rows.length === 0)) this.#partitions.delete(name)
    return { ok: true, version }
  }

  #livesElsewhere(name: string, key: Key): boolean {
    return [...this.#partitions].some(
      ([other, partition]) => other !== name && find(partition.threads, key) !== undefined,
    )
  }

  async locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    this.#refuseWhenClosed()
    for (const [name, partition] of this.#partitions) {
      const row = find(partition.threads, key)
      if (row) return { partition: name, row: copyOf(row) }
    }
    return undefined
  }

  async list({ limit, after }: ListQuery): Promise<ListedRow[]> {
    this.#refuseWhenClosed()
    const listed = (partition: string) => (row: MemoryRow) =>
      row.rank === undefined ? [] : { ...copyOf(row), rank: row.rank, partition }
    return [...this.#partitions]
      .flatMap(([partition, { threads }]) => threads.rows.flatMap(listed(partition)))
      .filter(
        (row) =>
          !after || row.rank < after.rank || (row.rank === after.rank && compareKeys(row.key, after.key) > 0),
      )
      .sort((a, b) => b.rank - a.rank || compareKeys(a.key, b.key))
      .slice(0, limit)
  }

  async partitions({ after, limit }: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    this.#refuseWhenClosed()
    const names = [...this.#partitions.keys()].filter((name) => after === undefined || name > after)
    return names.sort().slice(0, limit)
  }

  async destroy(): Promise<void> {
    this.#refuseWhenClosed()
    this.#partitions.clear()
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new CheckpointerError('CLOSED', 'This storage is closed.')
  }
}

function newPartition(): Partition {
  return Object.fromEntries(
    TABLES.map((table) => [table, { rows: [], byAlias: new Map() }]),
  ) as unknown as Partition
}

/** The place of the first row whose key is not lower. */
function placeOf(rows: readonly MemoryRow[], key: Key): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys((rows[middle] as MemoryRow).key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function find({ rows }: MemoryTable, key: Key): MemoryRow | undefined {
  const row = rows[placeOf(rows, key)]
  return row && compareKeys(row.key, key) === 0 ? row : undefined
}

function inRange({ rows }: MemoryTable, { from, to }: Range): MemoryRow[] {
  return rows.slice(placeOf(rows, from), placeOf(rows, to))
}

function drop(table: MemoryTable, key: Key): void {
  const at = placeOf(table.rows, key)
  const row = table.rows[at]
  if (!row || compareKeys(row.key, key) !== 0) return
  table.rows.splice(at, 1)
  if (row.alias) table.byAlias.delete(JSON.stringify(row.alias))
}

function store(table: MemoryTable, row: MemoryRow): void {
  drop(table, row.key)
  table.rows.splice(placeOf(table.rows, row.key), 0, row)
  if (row.alias) table.byAlias.set(JSON.stringify(row.alias), row)
}

/** Whether a row is to have the alias of another one: of the same batch, or one that the batch does not delete. */
function takesAnothersAlias(
  table: MemoryTable,
  { puts = [], deletes = [], deleteRanges = [] }: Batch,
): boolean {
  const claimed = new Map<string, Key>()
  const isDeleted = (key: Key): boolean =>
    deletes.some((gone) => gone.table === 'checkpoints' && compareKeys(gone.key, key) === 0) ||
    deleteRanges.some((gone) => gone.table === 'checkpoints' && isWithin(gone, key))
  return puts.some(({ key, alias }) => {
    if (!alias) return false
    const text = JSON.stringify(alias)
    const standing = table.byAlias.get(text)?.key
    const owner = claimed.get(text) ?? (standing && !isDeleted(standing) ? standing : key)
    claimed.set(text, key)
    return compareKeys(owner, key) !== 0
  })
}

const isWithin = ({ from, to }: Range, key: Key): boolean =>
  compareKeys(from, key) <= 0 && compareKeys(key, to) < 0

/** The caller's bytes may change or be transferred away later. */
function rowOf({ key, head, body, alias, rank }: Put, version: string): MemoryRow {
  return {
    key: [...key],
    head,
    version,
    ...(body ? { body: new Uint8Array(body) } : {}),
    ...(alias ? { alias: [...alias] } : {}),
    ...(rank === undefined ? {} : { rank }),
  }
}

function copyOf({ key, head, body, version }: MemoryRow): Row {
  return { key, head, version, ...(body ? { body: new Uint8Array(body) } : {}) }
}
