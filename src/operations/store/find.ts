import { CheckpointerError } from '../../errors.ts'
import { checkpointAlias, checkpointKey, seqRange } from '../../storage/keys.ts'
import type { At, StoredRun } from '../host.ts'
import { openCheckpoint, type CheckpointRow } from '../rows/checkpoint-row.ts'
import { laneOf, shows, stretches } from '../rows/lanes.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import type { Rows } from './read-place.ts'
import { describe } from './threads.ts'
import { ifUnread } from './unread.ts'

const PAGE = 64

/** The row of a checkpoint that this thread shows. */
export async function findCheckpoint(
  store: Rows,
  thread: ThreadRow,
  at: At,
): Promise<CheckpointRow | undefined> {
  if ('seq' in at) return findBySeq(store, thread, at.seq)
  if ('id' in at) return findById(store, thread, at.id)
  const matches =
    'step' in at
      ? (row: CheckpointRow) => row.facts.step === at.step
      : (row: CheckpointRow) => row.facts.label === at.label
  for await (const row of newestFirst(store, thread)) if (matches(row)) return row
  return undefined
}

export async function needCheckpoint(store: Rows, thread: ThreadRow, at: At): Promise<CheckpointRow> {
  const found = await findCheckpoint(store, thread, at)
  if (found) return found
  const [kind, value] = Object.entries(at)[0] as [string, unknown]
  throw new CheckpointerError(
    'NOT_FOUND',
    `Thread ${describe(thread.facts)} has no checkpoint with the ${kind} ${JSON.stringify(value)}.`,
    {
      thread: thread.facts.thread,
      namespace: thread.facts.namespace,
      ...('seq' in at ? { seq: at.seq } : {}),
    },
  )
}

/** The rows of the heads that stand beside the head, as far as they can be read. */
export async function tipRows(
  store: Rows,
  thread: ThreadRow,
): Promise<(CheckpointRow & { readonly run?: StoredRun | undefined })[]> {
  const found = (thread.facts.tips ?? []).map(async ({ id, run }) => {
    const row = await findCheckpoint(store, thread, { id }).catch(ifUnread)
    return row ? [{ ...row, run }] : []
  })
  return (await Promise.all(found)).flat()
}

export const byRef = (ref: number | string): At => (typeof ref === 'number' ? { seq: ref } : { id: ref })

async function findBySeq(store: Rows, thread: ThreadRow, seq: number): Promise<CheckpointRow | undefined> {
  if (!Number.isSafeInteger(seq) || seq < 0) return undefined
  const { lane } = laneOf(thread.facts.segments, seq)
  if (!shows(thread.facts.segments, lane, seq)) return undefined
  const [rows] = await store.storage.read(thread.partition, [
    { table: 'checkpoints', keys: [checkpointKey(lane, seq)] },
  ])
  return rows?.[0] && openCheckpoint(thread.partition, rows[0])
}

async function findById(store: Rows, thread: ThreadRow, id: string): Promise<CheckpointRow | undefined> {
  const lanes = [...thread.facts.segments].reverse()
  const found = await store.storage.read(
    thread.partition,
    lanes.map(({ lane }) => ({ table: 'checkpoints', alias: checkpointAlias(lane, id) })),
  )
  for (const row of found.flat()) {
    if (!shows(thread.facts.segments, row.key[0] as string, row.key[1] as number)) continue
    const found = openCheckpoint(thread.partition, row)
    if (found.facts.id === id) return found
    throw new CheckpointerError('CORRUPT', `The index of ids names checkpoint ${found.seq} for another id.`, {
      seq: found.seq,
    })
  }
  return undefined
}

/** Whether a row of the thread's own lane has this id, shown or not. */
export async function isHeld(store: Rows, { partition, facts }: ThreadRow, id: string): Promise<boolean> {
  const query = { table: 'checkpoints', alias: checkpointAlias(facts.lane, id) } as const
  const [rows = []] = await store.storage.read(partition, [query])
  return rows.length > 0
}

/** All checkpoints that a thread shows, from one seq down to another, a page at a time. */
export async function* newestFirst(
  store: Rows,
  thread: ThreadRow,
  bounds: Bounds = {},
): AsyncGenerator<CheckpointRow> {
  yield* walk(store, thread, bounds, true)
}

export async function* oldestFirst(
  store: Rows,
  thread: ThreadRow,
  bounds: Bounds = {},
): AsyncGenerator<CheckpointRow> {
  yield* walk(store, thread, bounds, false)
}

export interface Bounds {
  readonly from?: number
  readonly to?: number
  /** How many rows to read at a time. */
  readonly page?: number
}

async function* walk(
  store: Rows,
  thread: ThreadRow,
  bounds: Bounds,
  reverse: boolean,
): AsyncGenerator<CheckpointRow> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER - 1, page = PAGE } = bounds
  const inOrder = stretches(thread.facts.segments).filter(
    (stretch) => stretch.from <= to && stretch.last >= from,
  )
  for (const stretch of reverse ? inOrder.reverse() : inOrder) {
    let low = Math.max(from, stretch.from)
    let high = Math.min(to, stretch.last)
    while (low <= high) {
      const query = {
        table: 'checkpoints',
        ...seqRange(stretch.lane, low, high),
        reverse,
        limit: page,
      } as const
      const [rows = []] = await store.storage.read(thread.partition, [query])
      for (const row of rows) {
        if (shows(thread.facts.segments, stretch.lane, row.key[1] as number))
          yield openCheckpoint(thread.partition, row)
      }
      const last = rows.at(-1)?.key[1] as number | undefined
      if (last === undefined || rows.length < page) break
      if (reverse) high = last - 1
      else low = last + 1
    }
  }
}
