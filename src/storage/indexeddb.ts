import { deleteDB } from 'idb'
import { randomName } from '../platform/random.ts'
import { CheckpointerError } from '../errors.ts'
import { durabilityOf, makesRoom, tablesOf } from './indexeddb/commit.ts'
import { Connection } from './indexeddb/connection.ts'
import { closed, coded, withinTime } from './indexeddb/errors.ts'
import { outliving } from './indexeddb/sessions/life.ts'
import { findPast, withoutDebts, worstPast, type Past } from './indexeddb/sessions/past.ts'
import { readInTime, SECONDS_TO_OPEN } from './indexeddb/patience.ts'
import { eachOf, families, runQuery } from './indexeddb/queries.ts'
import { codedWithUsage } from './indexeddb/quota.ts'
import { reading, type ReadTransaction } from './indexeddb/reading.ts'
import { salvageList, salvageLocate, salvageQuery } from './indexeddb/salvage.ts'
import { rowOf, rowsOfSession } from './indexeddb/schema.ts'
import { writeSessionRows } from './indexeddb/sessions/session-rows.ts'
import { isScrubNeeded, scrub } from './indexeddb/sessions/scrub.ts'
import { Session } from './indexeddb/sessions/session.ts'
import { dropStale, MOST_STALE } from './indexeddb/stale-entries.ts'
import { writing } from './indexeddb/writing.ts'
import { refuseTooLarge } from './adapter/limits.ts'
import {
  TABLES,
  type Batch,
  type CommitResult,
  type Key,
  type Limits,
  type ListedRow,
  type ListQuery,
  type Query,
  type Row,
  type SessionReport,
  type Storage,
} from './storage.ts'

export interface IndexedDbStorageOptions {
  /** Names the database; two checkpointers with the same name share their data. */
  readonly name: string
}

export function indexedDbStorage(options: IndexedDbStorageOptions): Storage {
  return new IndexedDbStorage(`forkpoint:${options.name}`)
}

class IndexedDbStorage implements Storage {
  /** A larger payload is in parts. Rows of up to 2 MiB were seen to survive power cuts whole; these take a page half as long at a time. */
  readonly limits: Limits = {
    keyBytes: 4096,
    valueBytes: 1024 * 1024,
    operations: Number.POSITIVE_INFINITY,
    commitBytes: Number.POSITIVE_INFINITY,
  }
  readonly #id = randomName(12)
  #commits = 0
  readonly #connection: Connection
  readonly #session: Session
  /** Commits since old entries were last thrown away. */
  #stale = 0
  #past: Promise<Past> | undefined
  /** Whether no write goes into a log any more that may be torn. */
  #scrubbed: Promise<boolean> | undefined

  constructor(name: string) {
    this.#connection = new Connection(name, {
      onOpen: (handle) => {
        // Where that cannot be read, the worst is assumed, and no write is held up by it.
        this.#past = findPast(handle, this.#session.id).catch(() => worstPast(handle))
        // Also for who only reads: the engine itself may write, to take back what was half done.
        this.#scrubbed = this.#past.then((past) => !isScrubNeeded(past) || scrub())
      },
      onGone: () => this.#session.forget(),
    })
    this.#session = new Session(this.#id, this.#connection, () => this.#pastBeforeWriting())
  }

  async read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    const connection = this.#connection.enter()
    if (queries.length === 0) return []
    const tables = [...new Set(queries.map((query) => query.table))]
    return reading(
      connection,
      tables,
      (tx) => eachOf(queries, (query) => runQuery(tx.objectStore(query.table), partition, query)),
      (tx) => Promise.all(queries.map((query) => salvageQuery(tx, partition, query))),
    )
  }

  async commit(partition: string, batch: Batch): Promise<CommitResult> {
    const connection = this.#connection.enter()
    refuseTooLarge(this.limits, batch)
    if (tablesOf(batch).length === 0) return { ok: true, version: '' }
    const version = `${this.#id}.${(++this.#commits).toString(36)}`
    const owes = durabilityOf(batch) === 'relaxed' && batch.relaxed !== 'unowed'
    const marking = this.#session.begin(owes, makesRoom(batch))
    try {
      if (marking) await marking
      const result = await writing(connection, { partition, batch, version })
      if (result.ok && ++this.#stale >= MOST_STALE) void this.#dropStale()
      return result
    } catch (error) {
      throw await codedWithUsage(error)
    } finally {
      this.#session.end()
    }
  }

  /** Beside what is written, so that whoever closes or rests waits for it. */
  async #dropStale(): Promise<void> {
    this.#stale = 0
    try {
      await this.#session.begin(false)
      await dropStale(this.#connection)
    } catch {
      // Lists are slower then, until the next time.
    } finally {
      this.#session.end()
    }
  }

  async locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    return reading(
      this.#connection.enter(),
      ['threads'],
      async (tx) => {
        const found = await tx
          .objectStore('threads')
          .index('thread')
          .get([...key])
        return found && { partition: found.family, row: rowOf('threads', found) }
      },
      (tx) => salvageLocate(tx, [...key]),
    )
  }

  async list(query: ListQuery): Promise<ListedRow[]> {
    const connection = this.#connection.enter()
    const { limit, after } = query
    if (limit === 0) return []
    const range = after && IDBKeyRange.lowerBound([-after.rank, ...after.key], true)
    return reading(
      connection,
      ['threads'],
      async (tx) => {
        const found = await tx.objectStore('threads').index('latest').getAll(range, limit)
        return found.map((row) => ({
          ...rowOf('threads', row),
          partition: row.family,
          rank: -(row.order as number),
        }))
      },
      (tx) => salvageList(tx, range, limit),
    )
  }

  async partitions({ after, limit }: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    const connection = this.#connection.enter()
    const find = (tx: ReadTransaction): Promise<string[][]> =>
      Promise.all(TABLES.map((table) => families(tx.objectStore(table), after, limit)))
    const names = await reading(connection, [...TABLES], find)
    return [...new Set(names.flat())].sort().slice(0, limit)
  }

  async sessionReport(): Promise<SessionReport> {
    this.#connection.enter()
    const { unclean, owing, dataLoss } = await this.#pastOfDatabase().catch((error: unknown) => {
      throw coded(error)
    })
    return { unclean, owing: await this.#stillOwing(owing), ...(dataLoss === undefined ? {} : { dataLoss }) }
  }

  async owe(session?: string): Promise<string> {
    this.#connection.enter()
    return this.#session.owe(session).catch(async (error: unknown) => {
      throw await codedWithUsage(error)
    })
  }

  async settle(sessions: readonly string[], inOrder: boolean): Promise<void> {
    this.#connection.enter()
    const past = await this.#pastOfDatabase()
    const known = inOrder ? past.marked : past.owing
    // One that was alive when this was opened has gone since, or is about to.
    const others = inOrder ? sessions.filter((session) => !known.includes(session)) : []
    const living = await outliving(this.#connection.name, others)
    const settled = sessions.filter(
      (session) => known.includes(session) || living?.includes(session) === false,
    )
    await this.#settle(past, settled, inOrder)
    if (living && living.length > 0)
      throw new CheckpointerError('BLOCKED', 'A session that is to be settled has not ended yet. Try again.')
  }

  async #settle(past: Past, settled: readonly string[], inOrder: boolean): Promise<void> {
    if (settled.length === 0) return
    await this.#scrubbed
    await writeSessionRows(this.#connection, (store) =>
      settled.map((session) =>
        inOrder
          ? store.delete(rowsOfSession(session))
          : store.put({ session, number: 0, owes: false, at: Date.now() }),
      ),
    )
    if (past === (await this.#past)) this.#past = Promise.resolve(withoutDebts(past, settled, inOrder))
  }

  rest(): Promise<void> {
    return this.#session.rest()
  }

  async destroy(): Promise<void> {
    this.#connection.refuseWhenClosed()
    const handle = await this.#connection.end(closed())
    this.#session.forget()
    handle?.db.close()
    const { name } = this.#connection
    await withinTime({ name, doing: 'deleted' }, (onBlocked) => deleteDB(name, { blocked: onBlocked }))
  }

  async close(): Promise<void> {
    this.#connection.refuseAll(closed())
    // Left half done, it would have done harm: the torn log has grown, and nothing has replaced it yet.
    await this.#scrubbed
    // What fails here has left the marker behind, which is a false alarm at worst.
    await this.#session.rest().catch(() => {})
    const handle = await this.#connection.end(closed())
    handle?.db.close()
  }

  /** Another may have settled what one owed since this was opened. */
  async #stillOwing(owing: readonly string[]): Promise<readonly string[]> {
    if (owing.length === 0) return owing
    const { tx } = await this.#connection.begin(['session'], 'readonly')
    const markers = owing.map((session) => tx.objectStore('session').get([session, 0]))
    const owes = await readInTime(tx, Promise.all(markers), SECONDS_TO_OPEN).catch(() => undefined)
    return owes ? owing.filter((_, i) => owes[i]?.owes) : owing
  }

  async #pastOfDatabase(): Promise<Past> {
    await this.#connection.opened()
    if (!this.#past) throw closed()
    return this.#past
  }

  /** As it is before the first write. While the log of the dead is gone on with, their markers stay. */
  async #pastBeforeWriting(): Promise<Past> {
    const past = await this.#pastOfDatabase()
    return (await this.#scrubbed) ? past : { ...past, dead: [] }
  }
}
