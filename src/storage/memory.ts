import { storageClosed } from './adapter/calls.ts'
import { refuseTooLarge } from './adapter/limits.ts'
import {
  compareKeys,
  type Batch,
  type CommitResult,
  type Key,
  type Limits,
  type ListedRow,
  type ListQuery,
  type Put,
  type Query,
  type Row,
  type Storage,
} from './storage.ts'
import { Tables } from './adapter/rows-in-memory.ts'

interface MemoryRow extends Row {
  readonly alias?: Key
  readonly rank?: number
}

type Partition = Tables<MemoryRow>

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
    const tables = this.#partitions.get(partition)
    return queries.map((query) => (tables?.select(query) ?? []).map(copyOf))
  }

  async commit(name: string, batch: Batch): Promise<CommitResult> {
    this.#refuseWhenClosed()
    refuseTooLarge(this.limits, batch)
    const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
    const partition = this.#partitions.get(name) ?? new Tables()
    if (!partition.holds(checks)) return { ok: false }
    if (puts.some(({ table, key }) => table === 'threads' && this.#livesElsewhere(name, key)))
      return { ok: false }
    if (partition.takesAnothersAlias(batch)) return { ok: false }
    const version = String(++this.#commits)
    // From here on nothing may fail: all copies are made before the first row is touched.
    const rows = puts.map((put) => [put.table, rowOf(put, version)] as const)
    this.#partitions.set(name, partition)
    for (const { table, from, to } of deleteRanges)
      for (const row of partition.inRange(table, { from, to })) partition.drop(table, row.key)
    for (const { table, key } of deletes) partition.drop(table, key)
    for (const [table, row] of rows) partition.store(table, row)
    if (partition.size === 0) this.#partitions.delete(name)
    return { ok: true, version }
  }

  #livesElsewhere(name: string, key: Key): boolean {
    return [...this.#partitions].some(
      ([other, partition]) => other !== name && partition.find('threads', key) !== undefined,
    )
  }

  async locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    this.#refuseWhenClosed()
    for (const [name, partition] of this.#partitions) {
      const row = partition.find('threads', key)
      if (row) return { partition: name, row: copyOf(row) }
    }
    return undefined
  }

  async list({ limit, after }: ListQuery): Promise<ListedRow[]> {
    this.#refuseWhenClosed()
    const listed = (partition: string) => (row: MemoryRow) =>
      row.rank === undefined ? [] : { ...copyOf(row), rank: row.rank, partition }
    return [...this.#partitions]
      .flatMap(([name, partition]) => partition.all('threads').flatMap(listed(name)))
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
    if (this.#closed) throw storageClosed()
  }
}

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
