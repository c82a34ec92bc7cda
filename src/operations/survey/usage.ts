import { allRows, laneOfKey, metaOf, threadOf } from '../../storage/keys.ts'
import { bytesOf, TABLES, type Key, type Row, type Table } from '../../storage/storage.ts'
import { familyQueries } from '../store/family.ts'
import type { ThreadUsage, UsageCursor, UsageReply, UsageRequest } from '../host.ts'
import { openBirth } from '../rows/birth-row.ts'
import { isListed, openThread } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { unlessUnread } from '../store/unread.ts'
import { ROWS_A_READ } from './every-row.ts'

/** What one answer may take: a row counts one, a partition ten. */
const MOST_EFFORT = 2000
const PARTITION_EFFORT = 10
/** Counts the rows of the next few partitions, by whose they are. */
export async function usage(store: Store, { after }: UsageRequest): Promise<UsageReply> {
  const counts = new Counts()
  const begun = after?.left
  let done = after?.partition
  if (after && begun) {
    const left = await countSome(store, after.partition, begun, counts)
    if (left.length > 0) return { ...counts.reply(), next: { partition: after.partition, left } }
  }
  const limit = MOST_EFFORT / PARTITION_EFFORT
  const found = await store.storage.partitions({ limit, ...(done === undefined ? {} : { after: done }) })
  for (const partition of found) {
    counts.effort += PARTITION_EFFORT
    const left = await countSome(store, partition, EVERYTHING, counts)
    if (left.length > 0) return { ...counts.reply(), next: { partition, left } }
    done = partition
    if (counts.effort >= MOST_EFFORT) return { ...counts.reply(), next: { partition } }
  }
  return counts.reply()
}

type Left = NonNullable<UsageCursor['left']>
const EVERYTHING: Left = TABLES.map((table) => ({ table, from: allRows().from }))

/** Goes on in a partition until it is done, or it is enough for one answer. Gives what is left. */
async function countSome(store: Store, partition: string, begin: Left, counts: Counts): Promise<Left> {
  const owners = await ownersIn(store, partition)
  let left = begin
  while (left.length > 0 && counts.effort < MOST_EFFORT) {
    const { to } = allRows()
    const pages = await store.storage.read(
      partition,
      left.map(({ table, from }) => ({ table, from, to, limit: ROWS_A_READ[table] })),
    )
    left = left.flatMap(({ table }, i) => {
      const rows = pages[i] ?? []
      for (const row of rows) counts.add(partition, table, row, owners)
      const last = rows.at(-1)
      // The next key after the last one: the same with one more part.
      return last && rows.length === ROWS_A_READ[table] ? [{ table, from: [...last.key, 0] }] : []
    })
  }
  return left
}

/** By lane: the thread that it belongs to. */
async function ownersIn(store: Store, partition: string): Promise<ReadonlyMap<string, string>> {
  const [rows = [], , born = []] = await store.storage.read(partition, familyQueries)
  const births = born.flatMap((row) => unlessUnread(() => openBirth(partition, row)) ?? [])
  const threads = rows.flatMap((row) => unlessUnread(() => openThread(partition, row)) ?? [])
  return new Map([
    ...births.map(({ lane, facts }) => [lane, facts.thread] as const),
    ...threads.map(({ facts }) => [facts.lane, facts.thread] as const),
  ])
}

class Counts {
  effort = 0
  #bytes = 0
  #checkpoints = 0
  #threads = 0
  readonly #perThread = new Map<string, ThreadUsage>()

  add(partition: string, table: Table, row: Row, owners: ReadonlyMap<string, string>): void {
    const bytes = bytesOf(row)
    const checkpoints = table === 'checkpoints' ? 1 : 0
    this.effort++
    this.#bytes += bytes
    this.#checkpoints += checkpoints
    if (table === 'threads' && countsAsThread(partition, row)) this.#threads++
    const thread = ownerOf(table, row.key, owners)
    if (thread === undefined) return
    const before = this.#perThread.get(thread) ?? { thread, bytes: 0, checkpoints: 0 }
    this.#perThread.set(thread, {
      thread,
      bytes: before.bytes + bytes,
      checkpoints: before.checkpoints + checkpoints,
    })
  }

  reply(): UsageReply {
    return {
      bytes: this.#bytes,
      threads: this.#threads,
      checkpoints: this.#checkpoints,
      perThread: [...this.#perThread.values()],
    }
  }
}

/** Nobody's: rows of a deleted thread that its forks still show, and those of a family or the database. */
function ownerOf(table: Table, key: Key, owners: ReadonlyMap<string, string>): string | undefined {
  if (table === 'threads') return threadOf(key)
  const { lane = '', thread } = table === 'meta' ? metaOf(key) : { lane: laneOfKey(key) }
  return thread ?? owners.get(lane)
}

/** A row that cannot be read is a thread still. */
function countsAsThread(partition: string, row: Row): boolean {
  const thread = unlessUnread(() => openThread(partition, row))
  return thread ? isListed(thread.facts) : row.key[1] === ''
}
