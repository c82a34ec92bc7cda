import { CheckpointerError } from '../../errors.ts'
import { checkpointKey, seqRange, writeKey, writeName } from '../../storage/keys.ts'
import type { Batch, Check, Key, Row } from '../../storage/storage.ts'
import { attemptsOn, LOST_RACE, tryCommit, untilRecognised } from '../store/commit.ts'
import { byRef, needCheckpoint } from '../store/find.ts'
import type { PutWritesReply, PutWritesRequest, StoredRun } from '../host.ts'
import { threadPut, timeOfWrites, withWrites, type ThreadFacts, type ThreadRow } from '../rows/thread-row.ts'
import { filedAt, madeAt, writePuts, type MadeWrite } from '../rows/write-row.ts'
import { withRoom } from '../retention/with-room.ts'
import { knownPartsOfWrite } from '../store/parts-of-write.ts'
import type { Store } from '../store/store.ts'
import { checkThread, needThread, recallThread } from '../store/threads.ts'
import { unlessDamaged, unlessUnread } from '../store/unread.ts'

/** With such as were made elsewhere. */
type MadeWritesRequest = PutWritesRequest & { readonly writes: readonly MadeWrite[] }

/**
 * Writes belong to the thread that made them, also for a checkpoint that it borrows: they stand in its own lane,
 * so that a fork never sees what its origin went on to do.
 */
export async function putWrites(store: Store, request: MadeWritesRequest): Promise<PutWritesReply> {
  const { thread, namespace, run } = request
  const place = { thread, namespace }
  const done = await store.inTurn(place, () =>
    withRoom(store, place, () =>
      untilRecognised(attemptsOn(store, place), async (tried) => {
        const ground = (tried === 0 && (await remembered(store, request))) || (await looked(store, request))
        return commitWrites(store, request, ground)
      }),
    ),
  )
  for (const taskId of done.tasks) store.publish({ type: 'writes', ...place, seq: done.seq, taskId })
  if (run && done.isNew) store.publish({ type: 'run', ...place, runId: run.id, status: run.status })
  return { written: done.written }
}

const isSameRun = (a: StoredRun, b: StoredRun | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

/** It is at the turn that the caller speaks of, has not ended, and was not written since. */
const isAsKnown = ({ turn, since }: PutWritesRequest, run: StoredRun | undefined): boolean =>
  run !== undefined &&
  run.turn === turn &&
  (run.status === 'running' || run.status === 'waiting') &&
  (since === undefined || run.at === since)

/** What new writes are placed on. */
interface Ground {
  readonly row: ThreadRow
  readonly seq: number
  /** Those that the checkpoint has. */
  readonly existing: readonly Row[]
  /** Nothing of what is there has been changed since it was looked at. */
  readonly checks: readonly Check[]
}

/**
 * Most come for the head, and are new: then nothing need be read. If that is wrong, the commit is refused, by the
 * version of the thread's row, which every removal renews, or by a row that is there already.
 */
async function remembered(
  store: Store,
  { checkpoint, turn, thread, namespace }: PutWritesRequest,
): Promise<Ground | undefined> {
  if (turn !== undefined) return undefined
  const row = await recallThread(store, { thread, namespace })
  const head = row?.facts.head
  if (!row || !head || (checkpoint !== head.seq && checkpoint !== head.id)) return undefined
  if (row.facts.writes !== undefined && row.facts.wrote === undefined) return undefined
  return { row, seq: head.seq, existing: [], checks: [] }
}

async function looked(store: Store, request: PutWritesRequest): Promise<Ground> {
  const row = await needThread(store, request)
  const { run, lane } = row.facts
  // It may have been written before, and its answer was lost.
  const isMine = request.run !== undefined && isSameRun(request.run, run)
  if (request.turn !== undefined && !isMine && !isAsKnown(request, run)) {
    const { thread, namespace } = request
    const why =
      'The run has ended, or another runner has taken it up. Call run again to follow it or to go on.'
    throw new CheckpointerError('CONFLICT', why, { thread, namespace })
  }
  const checkpoint = await needCheckpoint(store, row, byRef(request.checkpoint))
  const { seq } = checkpoint
  const range = { table: 'writes', ...seqRange(lane, seq, seq) } as const
  const [existing = []] = await store.storage.read(row.partition, [range])
  const key = checkpointKey(checkpoint.lane, seq)
  return { row, seq, existing, checks: [{ table: 'checkpoints', key, version: checkpoint.row.version }] }
}

interface Done {
  readonly seq: number
  readonly written: number
  readonly isNew: boolean
  readonly tasks: ReadonlySet<string>
}

async function commitWrites(
  store: Store,
  { thread, namespace, writes, run, relaxed }: MadeWritesRequest,
  { row, seq, existing, checks }: Ground,
): Promise<Done | typeof LOST_RACE> {
  const { partition } = row
  const { lane } = row.facts
  const fresh = freshWrites(row, seq, writes, existing)
  const isSame = run === undefined || isSameRun(run, row.facts.run)
  if (fresh.size === 0 && isSame) return { seq, written: 0, isNew: false, tasks: new Set() }
  const from = Math.max(timeOfWrites(row.facts, writes), latestOf(partition, existing) + 0.001)
  const batch = batchOf(store, partition, { lane, seq }, fresh, from)
  const added = [...fresh.values()].filter(({ old }) => !old).length
  const facts: ThreadFacts = {
    ...withWrites(row.facts, added, from + fresh.size / 1000),
    ...(run ? { run } : {}),
  }
  const version = await tryCommit(store, partition, {
    ...batch,
    // The thread's row is renewed: a removal that has not seen these writes must not pass, nor they it.
    checks: [...(batch.checks ?? []), checkThread(row), ...checks],
    puts: [...(batch.puts ?? []), threadPut(partition, facts)],
    // What a runner would do again it does not take for kept.
    ...(relaxed ? { relaxed: 'unowed' } : {}),
  })
  if (version === LOST_RACE) return LOST_RACE
  const place = { thread, namespace }
  store.threads.set(place, { ...row, facts, version }, store.threads.get(place)?.lineage)
  const tasks = new Set([...fresh.values()].map(({ write }) => write.taskId))
  return { seq, written: fresh.size, isNew: !isSame, tasks }
}

interface FreshWrite {
  readonly key: Key
  readonly write: MadeWrite
  /** The row that it overwrites. */
  readonly old?: Row
}

/**
 * An index from 0 is written once: what is there stays. A negative one is special, and overwrites; one that was made
 * elsewhere only what is not later.
 */
function freshWrites(
  { partition, facts: { lane } }: ThreadRow,
  seq: number,
  writes: readonly MadeWrite[],
  existing: readonly Row[],
): Map<string, FreshWrite> {
  const taken = new Map(existing.map((row) => [writeName(row.key), row]))
  const fresh = new Map<string, FreshWrite>()
  for (const write of writes) {
    const key = writeKey(lane, seq, write.taskId, write.index)
    const name = writeName(key)
    const old = taken.get(name)
    if (write.index >= 0 && (old || fresh.has(name))) continue
    if (old && write.made !== undefined && write.made < madeIfWhole(partition, old)) continue
    fresh.set(name, { key, write, ...(old ? { old } : {}) })
  }
  return fresh
}

/** One that is damaged gives way to any. */
const madeIfWhole = (partition: string, row: Row): number => unlessDamaged(() => madeAt(partition, row)) ?? 0

/** When the latest of them was written, as far as they say; 0 when there is none. */
const latestOf = (partition: string, rows: readonly Row[]): number =>
  rows.reduce((latest, row) => Math.max(latest, unlessUnread(() => filedAt(partition, row)) ?? 0), 0)

function batchOf(
  store: Store,
  partition: string,
  { lane, seq }: { readonly lane: string; readonly seq: number },
  fresh: ReadonlyMap<string, FreshWrite>,
  from: number,
): Batch {
  const puts = [...fresh.values()].map(({ write }, i) =>
    writePuts(store.storage.limits, partition, { lane, seq }, { at: from + i / 1000, write }),
  )
  const overwritten = [...fresh.values()].flatMap(({ old }) => (old ? [old] : []))
  return {
    checks: [...fresh.values()].map(({ key, old }) => ({ table: 'writes', key, version: old?.version })),
    deleteRanges: overwritten.flatMap((row) => knownPartsOfWrite(partition, row)),
    puts: puts.flat(),
  }
}
