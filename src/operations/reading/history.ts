import { CheckpointerError } from '../../errors.ts'
import { equalJson } from '../../state/json.ts'
import { pauses } from '../../state/slices/pause.ts'
import { byRef, needCheckpoint, newestFirst, oldestFirst } from '../store/find.ts'
import { missingLink, packFrames, readFrames } from '../frames/frames.ts'
import type { Frames, HistoryReply, HistoryRequest, HistoryWhere } from '../host.ts'
import { infoOf, type CheckpointFacts, type CheckpointRow } from '../rows/checkpoint-row.ts'
import { laneOf } from '../rows/lanes.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import { readPlace, type Rows } from '../store/read-place.ts'
import type { Store } from '../store/store.ts'
import { ifDamaged, isUnread } from '../store/unread.ts'

/** A page never looks at more rows than this, however few fit the filter, so that each stays quick. */
const MOST_LOOKED_AT = 2000

/** One page of a thread's checkpoints. */
export async function history(store: Store, request: HistoryRequest): Promise<HistoryReply> {
  return (await readPlace(store, request, (thread, rows) => readPage(rows, thread, request))) ?? { items: [] }
}

async function readPage(store: Rows, thread: ThreadRow, request: HistoryRequest): Promise<HistoryReply> {
  const from = request.after === undefined ? 0 : (await seqFor(store, thread, request.after)) + 1
  const to =
    request.before === undefined
      ? Number.MAX_SAFE_INTEGER - 1
      : (await seqFor(store, thread, request.before)) - 1
  const page = request.where ? 256 : request.limit + 1
  const walk = request.order === 'newest' ? newestFirst : oldestFirst
  const found: CheckpointRow[] = []
  let looked = 0
  let next: number | undefined
  try {
    for await (const row of walk(store, thread, { from, to, page })) {
      if (found.length === request.limit || looked === MOST_LOOKED_AT) {
        next = row.seq
        break
      }
      looked++
      if (fits(row.facts, request.where)) found.push(row)
    }
  } catch (error) {
    // First what can be read: the next page begins with the one that cannot be, and says so.
    if (!isUnread(error) || error.seq === undefined || found.length === 0) throw error
    next = error.seq
  }
  const read =
    request.states && found.length > 0 ? await framesOf(store, thread, found) : { count: found.length }
  next = found[read.count]?.seq ?? next
  return {
    items: found.slice(0, read.count).map((row) => infoOf(row.facts)),
    ...(read.frames ? { frames: read.frames } : {}),
    ...(next === undefined ? {} : { next }),
    ...(request.before === undefined ? {} : { before: to + 1 }),
    ...(request.after === undefined ? {} : { after: from - 1 }),
  }
}

/** `before` and `after` take a seq that need not exist (it may have been pruned), or the id of one that does. */
async function seqFor(store: Rows, thread: ThreadRow, ref: number | string): Promise<number> {
  return typeof ref === 'number' ? ref : (await needCheckpoint(store, thread, byRef(ref))).seq
}

/** How many states can be given, up to the first that cannot be read, and the frames of these. */
async function framesOf(
  store: Rows,
  thread: ThreadRow,
  found: readonly CheckpointRow[],
): Promise<{ readonly count: number; readonly frames?: Frames }> {
  const { partition, facts } = thread
  const from = Math.min(...found.map((row) => row.facts.frame.root))
  const to = Math.max(...found.map((row) => row.seq))
  const rows = await readFrames(store, partition, facts.segments, from, to)
  const pause = pauses()
  const pack = async (some: readonly CheckpointRow[]): Promise<Frames> =>
    packFrames(
      rows,
      some.map(({ seq }) => {
        const chain = rows.chain(laneOf(facts.segments, seq).lane, seq)
        if (!chain) throw missingLink(seq)
        return chain
      }),
      pause,
    )
  try {
    return { count: found.length, frames: await pack(found) }
  } catch (error) {
    if (!CheckpointerError.is(error, 'CORRUPT')) throw error
    let count = 0
    for (const row of found) {
      if (!(await pack([row]).catch(ifDamaged))) break
      count++
    }
    const broken = found[count]
    if (count > 0) return { count, frames: await pack(found.slice(0, count)) }
    throw unreadable(facts, broken?.seq ?? to, error)
  }
}

/** Names the checkpoint that cannot be given, whichever row is the damaged one: a caller can go on after it. */
const unreadable = (
  { thread, namespace }: ThreadRow['facts'],
  seq: number,
  cause: Error,
): CheckpointerError =>
  new CheckpointerError('CORRUPT', `Checkpoint ${seq} cannot be read: ${cause.message}`, {
    thread,
    namespace,
    seq,
    cause,
  })

function fits(facts: CheckpointFacts, where: HistoryWhere | undefined): boolean {
  if (!where) return true
  const { extra, ...fields } = where
  for (const name of ['runId', 'node', 'source', 'label', 'step', 'workflow'] as const) {
    if (fields[name] !== undefined && facts[name] !== fields[name]) return false
  }
  return (extra ?? []).every(([name, value]) =>
    facts.extra?.some(([its, held]) => its === name && equalJson(held, value)),
  )
}
