import type { CheckpointerError } from '../../errors.ts'
import { someAtATime } from '../../platform/some-at-a-time.ts'
import { Calls, versionMaker } from '../adapter/calls.ts'
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
import { Tables } from '../adapter/rows-in-memory.ts'
import { coded } from './errors.ts'
import { ifThere, syncFolder } from './file-system.ts'
import { Homes } from './homes.ts'
import type { Spot } from './log/log-index.ts'
import { logged } from './log/logged-put.ts'
import { logIn, logOf, partitionIn } from './names.ts'
import { LOGS_AT_A_TIME, Ranks, type Ranked } from './ranks.ts'
import { isWasteful, Shelf, type Holding } from './shelf.ts'
import type { Desk } from './log/write.ts'

/** So that no line is so long that it holds everything up. */
const LIMITS: Limits = {
  keyBytes: 4096,
  valueBytes: 4 * 1024 * 1024,
  operations: Number.POSITIVE_INFINITY,
  commitBytes: 16 * 1024 * 1024,
}

export class FileStorage implements Storage {
  readonly limits = LIMITS
  readonly #desk: Desk
  readonly #shelf: Shelf
  readonly #homes: Homes
  readonly #ranks: Ranks
  readonly #calls = new Calls({ coded })
  readonly #newVersion = versionMaker()

  constructor(desk: Desk, tell: (warning: CheckpointerError) => void) {
    this.#desk = desk
    this.#shelf = new Shelf(desk, tell)
    this.#homes = new Homes(this.#shelf)
    this.#ranks = new Ranks(desk.fs)
  }

  read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    return this.#calls.run(() => this.#read(partition, queries))
  }

  async #read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    return this.#shelf.read(await logOf(partition), partition, async (log) => {
      if (!log) return queries.map(() => [])
      const spots = queries.map((query) => log.index.tables.select(query))
      const rows = await log.rows(spots.flat())
      return spots.map(({ length }) => rows.splice(0, length))
    })
  }

  commit(partition: string, batch: Batch): Promise<CommitResult> {
    return this.#calls.run(async () => {
      refuseTooLarge(this.limits, batch)
      const name = await logOf(partition)
      const done = await this.#shelf.hold(name, partition, (holding) =>
        this.#commit(partition, batch, holding),
      )
      if (done === undefined) return { ok: false }
      // It is made, whatever becomes of the tidying: a line among the homes may lead to nothing, and an empty log is none.
      await this.#homes.release(partition, done.gone).catch(() => {})
      if (done.isEmpty) await this.#shelf.tidy(name, partition).catch(() => {})
      // Whoever waits for the commit need not wait for this.
      else if (done.isWasteful) this.#calls.behind(this.#shelf.tidy(name, partition))
      return { ok: true, version: done.version }
    })
  }

  async #commit(partition: string, batch: Batch, holding: Holding): Promise<Done | undefined> {
    const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
    const { log } = holding
    const tables = log?.index.tables ?? new Tables<Spot>()
    if (!tables.holds(checks) || tables.takesAnothersAlias(batch)) return undefined
    const version = this.#newVersion()
    const isNothing = puts.length + deletes.length + deleteRanges.length === 0
    if (isNothing || (!log && puts.length === 0))
      return { version, gone: [], isEmpty: false, isWasteful: false }
    const threads = tables.all('threads').map(({ key }) => key)
    const come = puts.filter(({ table, key }) => table === 'threads' && !tables.find(table, key))
    const content = {
      at: new Date().toISOString(),
      version,
      ...(deleteRanges.length > 0 ? { deleteRanges } : {}),
      ...(deletes.length > 0 ? { deletes } : {}),
      ...(puts.length > 0 ? { puts: puts.map(logged) } : {}),
    }
    const keys = come.map(({ key }) => key)
    const isDone = await this.#homes.claim(partition, keys, async () => {
      await holding.append(content)
      return true
    })
    if (!isDone) return undefined
    return {
      version,
      gone: log ? threads.filter((key) => !tables.find('threads', key)) : [],
      isEmpty: log !== undefined && tables.size === 0,
      isWasteful: log !== undefined && isWasteful(log),
    }
  }

  locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    return this.#calls.run(async () => {
      for (const partition of await this.#homes.of(key)) {
        const [rows] = await this.#read(partition, [{ table: 'threads', keys: [key] }])
        if (rows?.[0]) return { partition, row: rows[0] }
      }
      return undefined
    })
  }

  list({ limit, after }: ListQuery): Promise<ListedRow[]> {
    return this.#calls.run(async () => {
      if (limit <= 0) return []
      const logs = (await this.#logs()).map((log) => ({ log, path: this.#shelf.pathOf(log) }))
      const look = (log: string) => this.#shelf.read(log, partitionIn(log), (open) => open?.index)
      const ranked = await this.#ranks.after(logs, look, after ? { after } : {})
      const rows: ListedRow[] = []
      for (let at = 0; at < ranked.length && rows.length < limit; at += PAGE) {
        const page = ranked.slice(at, at + PAGE)
        rows.push(...(await someAtATime(page, LOGS_AT_A_TIME, (each) => this.#listed(each))).flat())
      }
      return rows.slice(0, limit)
    })
  }

  /** Nothing when it has another rank by now. */
  #listed({ log: name, key, rank }: Ranked): Promise<ListedRow[]> {
    return this.#shelf.read(name, partitionIn(name), async (log) => {
      const spot = log?.index.tables.find('threads', key)
      const partition = log?.index.header?.partition
      if (!log || spot?.rank !== rank || partition === undefined) return []
      return (await log.rows([spot])).map((row) => ({ ...row, partition, rank }))
    })
  }

  partitions({ after, limit }: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    return this.#calls.run(async () => {
      const names = await someAtATime(await this.#logs(), LOGS_AT_A_TIME, (log) => this.#partitionOf(log))
      const found = names.filter((name) => name !== undefined && (after === undefined || name > after))
      return (found as string[]).sort().slice(0, limit)
    })
  }

  async #partitionOf(log: string): Promise<string | undefined> {
    const name = partitionIn(log)
    return name ?? this.#shelf.read(log, undefined, (open) => open?.index.header?.partition)
  }

  async #logs(): Promise<string[]> {
    const files = (await ifThere(this.#desk.fs.readdir(this.#desk.folder))) ?? []
    return files.flatMap((file) => logIn(file) ?? [])
  }

  destroy(): Promise<void> {
    return this.#calls.run(async () => {
      for (const log of await this.#logs()) await this.#shelf.remove(log)
      const isThere = await ifThere(this.#desk.fs.stat(this.#desk.folder))
      if (!isThere) return
      await this.#homes.remove()
      await syncFolder(this.#desk.fs, this.#desk.folder)
    })
  }

  close(): Promise<void> {
    return this.#calls.close()
  }
}

const PAGE = 50

interface Done {
  readonly version: string
  /** Threads that were there before. */
  readonly gone: readonly Key[]
  readonly isEmpty: boolean
  readonly isWasteful: boolean
}
