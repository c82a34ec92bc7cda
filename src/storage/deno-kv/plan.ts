import { compareKeys, type Batch, type Key, type Put } from '../storage.ts'
import { Changes } from './changes.ts'
import { entriesOf, rowsIn, type GoneRange } from './erase.ts'
import { getAll, type DenoKv, type KvEntry, type KvKey } from './kv.ts'
import type { Partition, Places } from './places.ts'
import { ownerOf } from './reads.ts'
import { stored, storedIn } from './stored.ts'

export interface Plan {
  readonly changes: Changes
  /** Some rows go, so that the partition may be empty afterwards. */
  readonly erases: boolean
  /** Those that go are too many, and have to be swept. */
  readonly sweeps: boolean
}

const STAMP = /^[0-9a-f]{20}$/

/**
 * What one commit of the engine has to check and to change for a batch. Entries that lead to rows are read first; that they are
 * still so is checked by the commit. Undefined: the batch is in conflict with what is there.
 */
export class Planning {
  readonly #kv: DenoKv
  readonly #places: Places
  readonly #partition: Partition
  readonly #batch: Required<Pick<Batch, 'checks' | 'puts' | 'deletes' | 'deleteRanges'>>
  readonly #changes = new Changes()
  /** What was read, by its place. */
  readonly #read = new Map<string, KvEntry>()
  /** Places of rows that this batch deletes before it puts. */
  readonly #erased = new Set<string>()

  constructor(kv: DenoKv, places: Places, partition: Partition, batch: Batch) {
    const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
    this.#kv = kv
    this.#places = places
    this.#partition = partition
    this.#batch = { checks, puts, deletes, deleteRanges }
  }

  /** Whether all checks hold by now: asked when a commit was refused, as its own checks may have been the reason. */
  async holds(): Promise<boolean> {
    const { checks } = this.#batch
    const found = await getAll(
      this.#kv,
      checks.map(({ table, key }) => this.#places.row(this.#partition, table, key)),
    )
    return checks.every(({ version }, i) => (found[i]?.versionstamp ?? undefined) === version)
  }

  async plan(token: string): Promise<Plan | undefined> {
    const { checks, puts, deletes, deleteRanges } = this.#batch
    for (const { table, key, version } of checks) {
      if (version !== undefined && !STAMP.test(version)) return undefined
      this.#changes.check(this.#places.row(this.#partition, table, key), version ?? null)
    }
    await this.#readAll()
    const isWhole = await this.#eraseRanges(deleteRanges)
    for (const gone of deletes) this.#erase(gone.table, this.#known(this.#row(gone)))
    for (const put of puts) if (put.table === 'checkpoints') this.#releaseAlias(put)
    const claimed = new Map<string, Key>()
    for (const put of puts) {
      if (put.alias && !(await this.#claimAlias(put.key, put.alias, claimed))) return undefined
      if (put.table === 'threads' && !this.#claimThread(put)) return undefined
      this.#changes.set(this.#row(put), stored(put))
    }
    const place = this.#places.sweep(this.#partition)
    this.#changes.check(place, null).set(this.#places.revision(this.#partition), token)
    if (!isWhole) this.#changes.set(place, deleteRanges)
    return {
      changes: this.#changes,
      erases: deletes.length + deleteRanges.length > 0,
      sweeps: !isWhole,
    }
  }

  /** The entries that a batch cannot do without knowing. */
  async #readAll(): Promise<void> {
    const { puts, deletes } = this.#batch
    const led = [...deletes, ...puts].filter(({ table }) => table === 'threads' || table === 'checkpoints')
    const keys = [
      ...led.map((each) => this.#row(each)),
      ...puts.flatMap(({ alias }) => (alias ? [this.#places.alias(this.#partition, alias)] : [])),
      ...puts.flatMap(({ table, key }) => (table === 'threads' ? [this.#places.thread(key)] : [])),
    ]
    for (const entry of await getAll(this.#kv, keys)) this.#read.set(textOf(entry.key), entry)
  }

  /** Whether all rows of the ranges fit: then they go in this commit, which checks that none has come meanwhile. */
  async #eraseRanges(ranges: readonly GoneRange[]): Promise<boolean> {
    if (ranges.length === 0) return true
    const { key, versionstamp } = await this.#kv.get(this.#places.revision(this.#partition))
    const rows: (readonly [GoneRange['table'], KvEntry])[] = []
    const entries: KvKey[] = []
    for await (const row of rowsIn(this.#kv, this.#places, this.#partition, ranges)) {
      rows.push(row)
      entries.push(...entriesOf(this.#places, this.#partition, ...row))
      if (!this.#changes.fits(entries) || entries.length > MOST_ERASED) return false
    }
    this.#changes.check(key as KvKey, versionstamp)
    for (const row of rows) this.#erase(...row)
    return true
  }

  #erase(table: GoneRange['table'], entry: KvEntry): void {
    const [place = [], ...others] = entriesOf(this.#places, this.#partition, table, entry)
    this.#erased.add(textOf(place))
    this.#changes.delete(place, ...(entry.versionstamp === null ? [] : others))
  }

  /** A row that is put again without its alias, or with another. */
  #releaseAlias(put: Put): void {
    const { alias } = storedIn(this.#known(this.#row(put))) ?? {}
    if (alias && (!put.alias || compareKeys(alias, put.alias) !== 0))
      this.#changes.delete(this.#places.alias(this.#partition, alias))
  }

  /** Whether the alias is free for this row, or its own. */
  async #claimAlias(key: Key, alias: Key, claimed: Map<string, Key>): Promise<boolean> {
    const other = claimed.get(textOf(alias))
    if (other && compareKeys(other, key) !== 0) return false
    claimed.set(textOf(alias), key)
    const place = this.#places.alias(this.#partition, alias)
    const entry = this.#known(place)
    const owner = entry.versionstamp === null ? key : (entry.value as Key)
    if (compareKeys(owner, key) !== 0 && !this.#isDeleted(owner)) {
      if (await ownerOf(this.#kv, this.#places, this.#partition, entry)) return false
    }
    this.#changes.check(place, entry.versionstamp).set(place, key)
    return true
  }

  #isDeleted(key: Key): boolean {
    const { deletes, deleteRanges } = this.#batch
    return (
      deletes.some((gone) => gone.table === 'checkpoints' && compareKeys(gone.key, key) === 0) ||
      deleteRanges.some(
        ({ table, from, to }) =>
          table === 'checkpoints' && compareKeys(from, key) <= 0 && compareKeys(key, to) < 0,
      )
    )
  }

  /** Whether the thread may be put here: it lives nowhere else. Its rank is moved, and its place noted. */
  #claimThread(put: Put): boolean {
    const { key, rank } = put
    const row = this.#known(this.#row(put))
    const place = this.#places.thread(key)
    const home = this.#known(place)
    if (home.versionstamp !== null && home.value !== this.#partition.name) return false
    const isErased = this.#erased.has(textOf(this.#row(put)))
    const before = isErased ? undefined : storedIn(row)
    if (!isErased) this.#changes.check(this.#row(put), row.versionstamp)
    if (!before) this.#changes.check(place, home.versionstamp).set(place, this.#partition.name)
    if (before?.rank !== undefined && before.rank !== rank)
      this.#changes.delete(this.#places.rank(before.rank, key))
    if (rank !== undefined && rank !== before?.rank)
      this.#changes.set(this.#places.rank(rank, key), this.#partition.name)
    return true
  }

  #row({ table, key }: Pick<Put, 'table' | 'key'>): KvKey {
    return this.#places.row(this.#partition, table, key)
  }

  /** What was read of a place, or that there is nothing. */
  #known(place: KvKey): KvEntry {
    return this.#read.get(textOf(place)) ?? { key: place, value: null, versionstamp: null }
  }
}

/** Where a commit has ranges, so many entries go in it at most, and more are swept. */
const MOST_ERASED = 600

const textOf = (key: readonly unknown[]): string => JSON.stringify(key)
