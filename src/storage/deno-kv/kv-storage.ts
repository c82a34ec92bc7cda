import { Calls } from '../adapter/calls.ts'
import { randomPause } from '../../platform/random.ts'
import { refuseTooLarge } from '../adapter/limits.ts'
import type {
  Batch,
  CommitResult,
  Key,
  Limits,
  ListedRow,
  ListQuery,
  Query,
  Row,
  Storage,
} from '../storage.ts'
import { EVERYTHING } from './erase.ts'
import { coded, isUnsure, overtaken, unknownOutcome } from './errors.ts'
import { getAll, type DenoKv, type KvEntry } from './kv.ts'
import { partitionOf, Places, type Partition } from './places.ts'
import { Planning, type Plan } from './plan.ts'
import { fits, MOST_KEY_BYTES, readOnce } from './reads.ts'
import { rowOf, storedIn } from './stored.ts'
import { forgetIfEmpty, sweep } from './sweep.ts'

/** The engine takes 64 KiB a value, with what says how it is encoded, and 800 KiB a commit, keys included. */
const LIMITS: Limits = { keyBytes: MOST_KEY_BYTES, valueBytes: 60_000, operations: 40, commitBytes: 700_000 }

/** So long it is tried again when others write. */
const PATIENCE = 10_000
const LONGEST_PAUSE = 50
const PAGE = 100

export class KvStorage implements Storage {
  readonly limits = LIMITS
  readonly #kv: DenoKv
  readonly #places: Places
  readonly #calls = new Calls({ coded })

  constructor(kv: DenoKv, prefix: string) {
    this.#kv = kv
    this.#places = new Places(prefix)
  }

  read(name: string, queries: readonly Query[]): Promise<Row[][]> {
    return this.#calls.run(async () => this.#read(await partitionOf(name), queries))
  }

  #read(partition: Partition, queries: readonly Query[]): Promise<Row[][]> {
    return untilDone(async () => {
      const found = await readOnce(this.#kv, this.#places, partition, queries)
      if (found !== 'sweep') return found
      await sweep(this.#kv, this.#places, partition)
    })
  }

  commit(name: string, batch: Batch): Promise<CommitResult> {
    return this.#calls.run(async () => {
      refuseTooLarge(this.limits, batch)
      return this.#commit(await partitionOf(name), batch)
    })
  }

  async #commit(partition: Partition, batch: Batch): Promise<CommitResult> {
    let isFirst = true
    return untilDone(async () => {
      const planning = new Planning(this.#kv, this.#places, partition, batch)
      if (!isFirst) {
        await sweep(this.#kv, this.#places, partition)
        if (!(await planning.holds())) return { ok: false }
      }
      isFirst = false
      const token = crypto.randomUUID()
      const plan = await planning.plan(token)
      if (!plan) return { ok: false }
      const version = await this.#carryOut(partition, plan, token)
      if (version === undefined) return undefined
      // It is made, whatever becomes of the tidying: whoever reads or writes next goes on with that.
      if (plan.sweeps) await sweep(this.#kv, this.#places, partition).catch(() => {})
      if (plan.erases) await forgetIfEmpty(this.#kv, this.#places, partition).catch(() => {})
      return { ok: true, version }
    })
  }

  async #carryOut(partition: Partition, { changes }: Plan, token: string): Promise<string | undefined> {
    try {
      return await changes.commit(this.#kv)
    } catch (error) {
      if (!isUnsure(error)) throw error
      // Over a network: the revision tells, as long as nobody else has written.
      const last = await this.#kv.get(this.#places.revision(partition)).catch(() => undefined)
      if (last?.value === token && last.versionstamp !== null) return last.versionstamp
      throw unknownOutcome(error)
    }
  }

  locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    return this.#calls.run(() =>
      untilDone(async () => {
        if (!fits(key)) return { found: undefined }
        const { value, versionstamp } = await this.#kv.get(this.#places.thread(key))
        if (versionstamp === null) return { found: undefined }
        const partition = value as string
        const [rows] = await this.#read(await partitionOf(partition), [{ table: 'threads', keys: [key] }])
        // Without it, the thread has gone or moved between the two.
        return rows?.[0] && { found: { partition, row: rows[0] } }
      }).then(({ found }) => found),
    )
  }

  list({ limit, after }: ListQuery): Promise<ListedRow[]> {
    return this.#calls.run(async () => {
      await this.#sweepAll()
      const listed: ListedRow[] = []
      let page: KvEntry[] = []
      const batchSize = Math.max(1, Math.min(limit, PAGE))
      if (limit <= 0) return []
      for await (const entry of this.#kv.list(this.#places.ranks(after), { batchSize })) {
        page.push(entry)
        if (page.length < batchSize) continue
        listed.push(...(await this.#listed(page)))
        if (listed.length >= limit) return listed.slice(0, limit)
        page = []
      }
      return [...listed, ...(await this.#listed(page))].slice(0, limit)
    })
  }

  /** The rows that entries of ranks lead to; not those that have another rank by now. */
  async #listed(ranks: readonly KvEntry[]): Promise<ListedRow[]> {
    const keys = ranks.map(({ key }) => key.slice(3) as Key)
    const homes = await Promise.all(ranks.map(({ value }) => partitionOf(value as string)))
    const rows = await getAll(
      this.#kv,
      homes.map((home, i) => this.#places.row(home, 'threads', keys[i] as Key)),
    )
    return rows.flatMap((entry, i) => {
      const rank = 0 - (ranks[i]?.key[2] as number)
      const row = rowOf(entry)
      const isIt = row && storedIn(entry)?.rank === rank
      return isIt ? { ...row, partition: (homes[i] as Partition).name, rank } : []
    })
  }

  partitions({ after, limit }: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    return this.#calls.run(async () => {
      await this.#sweepAll()
      const names: string[] = []
      if (limit <= 0) return names
      for await (const { key } of this.#kv.list(this.#places.revisions(after))) {
        const partition = await partitionOf(key[2] as string)
        if (await this.#hasRows(partition)) names.push(partition.name)
        if (names.length >= limit) break
      }
      return names
    })
  }

  async #hasRows(partition: Partition): Promise<boolean> {
    for await (const _ of this.#kv.list(this.#places.anyRow(partition), { limit: 1 })) return true
    return false
  }

  /** What a process that has died has not swept any more. */
  async #sweepAll(): Promise<void> {
    for await (const { key } of this.#kv.list(this.#places.sweeps()))
      await sweep(this.#kv, this.#places, await partitionOf(key[2] as string))
  }

  destroy(): Promise<void> {
    return this.#calls.run(async () => {
      for await (const { key } of this.#kv.list(this.#places.revisions()))
        await this.#commit(await partitionOf(key[2] as string), { deleteRanges: EVERYTHING })
    })
  }

  close(): Promise<void> {
    return this.#calls.close()
  }
}

/** Again until it gives something. The pauses are random, lest two meet again and again. */
async function untilDone<T>(work: () => Promise<T | undefined>): Promise<T> {
  const since = performance.now()
  let busy: unknown
  for (let most = 2; performance.now() - since < PATIENCE; most = Math.min(2 * most, LONGEST_PAUSE)) {
    busy = undefined
    const done = await work().catch((error: unknown) => {
      // Another process has the file, and nothing was done.
      if (coded(error).code !== 'BLOCKED') throw error
      busy = error
    })
    if (done !== undefined) return done
    await randomPause(most)
  }
  throw busy ?? overtaken()
}
