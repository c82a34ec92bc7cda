import { CheckpointerError } from '../../errors.ts'
import { checkpointKey, seqRange, writeKey, writeName } from '../../storage/keys.ts'
import type { Batch, Check, Key, Put, Row } from '../../storage/storage.ts'
import { attemptsOn, fitsCommit, LOST_RACE, tryCommit, untilRecognised } from '../store/commit.ts'
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
 * so that a fork never sees what its origin went on to do. What one commit cannot hold comes in several, in order, and
 * how the run stands with the last: of outcomes that came together none is lost for there being many.
 */
export async function putWrites(store: Store, request: MadeWritesRequest): Promise<PutWritesReply> {
  const { thread, namespace } = request
  const place = { thread, namespace }
  return store.inTurn(place, async () => {
    let rest = request
    let written = 0
    for (;;) {
      const done = await putSome(store, rest).catch((error: unknown) => {
        throw written > 0 ? partlyWritten(error) : error
      })
      written += done.written
      if (done.left.length === 0) return { written }
      rest = { ...rest, writes: done.left }
    }
  })
}

/** As many, from the first on, as one commit takes. */
async function putSome(store: Store, request: MadeWritesRequest): Promise<Done> {
  const { thread, namespace, run } = request
  const place = { thread, namespace }
  const done = await withRoom(store, place, () =>
    untilRecognised(attemptsOn(store, place), async (tried) => {
      const ground = (tried === 0 && (await remembered(store, request))) || (await looked(store, request))
      return commitWrites(store, request, ground)
    }),
  )
  for (const taskId of done.tasks) store.publish({ type: 'writes', ...place, seq: done.seq, taskId })
  if (run && done.isNew) store.publish({ type: 'run', ...place, runId: run.id, status: run.status })
  return done
}

/** Of a call of several commits, the first of which are made. */
function partlyWritten(error: unknown): unknown {
  if (!CheckpointerError.is(error) || error.outcome !== 'none') return error
  const { code, message, cause } = error
  return new CheckpointerError(code, message, { ...error, outcome: 'unknown', cause })
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
  /** Those that the commit had no room for. */
  readonly left: readonly MadeWrite[]
}

async function commitWrites(
  store: Store,
  { thread, namespace, writes, run, relaxed }: MadeWritesRequest,
  { row, seq, existing, checks }: Ground,
): Promise<Done | typeof LOST_RACE> {
  const { partition, facts: before } = row
  const fresh = [...freshWrites(row, seq, writes, existing).values()]
  const isSame = run === undefined || isSameRun(run, before.run)
  if (fresh.length === 0 && isSame) return { seq, written: 0, isNew: false, tasks: new Set(), left: [] }
  const from = Math.max(timeOfWrites(before, writes), latestOf(partition, existing) + 0.001)
  const changes = changesOf(store, partition, { lane: before.lane, seq }, fresh, from)
  const holding = (count: number): { readonly facts: ThreadFacts; readonly batch: Batch } => {
    const added = fresh.slice(0, count).filter(({ old }) => !old).length
    const facts: ThreadFacts = {
      ...withWrites(before, added, from + count / 1000),
      ...(run && count === fresh.length ? { run } : {}),
    }
    const some = changes.slice(0, count)
    const batch: Batch = {
      // The thread's row is renewed: a removal that has not seen these writes must not pass, nor they it.
      checks: [...some.map(({ check }) => check), checkThread(row), ...checks],
      deleteRanges: some.flatMap(({ deleteRanges }) => deleteRanges),
      puts: [...some.flatMap(({ puts }) => puts), threadPut(partition, facts)],
      // What a runner would do again it does not take for kept.
      ...(relaxed ? { relaxed: 'unowed' } : {}),
    }
    return { facts, batch }
  }
  const count = mostOf(
    fresh.length,
    (most) => most <= changes.length && fitsCommit(store, holding(most).batch),
  )
  const { facts, batch } = holding(count)
  const version = await tryCommit(store, partition, batch)
  if (version === LOST_RACE) return LOST_RACE
  const place = { thread, namespace }
  store.threads.set(place, { ...row, facts, version }, store.threads.get(place)?.lineage)
  const tasks = new Set(fresh.slice(0, count).map(({ write }) => write.taskId))
  const left = fresh.slice(count).map(({ write }) => write)
  return { seq, written: count, isNew: !isSame && left.length === 0, tasks, left }
}

/** The most, up to `all`, that fit; one is tried in any case, and none where there is none. */
function mostOf(all: number, fits: (count: number) => boolean): number {
  if (all <= 1 || fits(all)) return all
  let least = 1
  let tooMany = all
  while (tooMany - least > 1) {
    const count = Math.floor((least + tooMany) / 2)
    if (fits(count)) least = count
    else tooMany = count
  }
  return least
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

/** What the commit of one write checks and changes. */
interface Change {
  readonly check: Check
  readonly deleteRanges: NonNullable<Batch['deleteRanges']>
  readonly puts: readonly Put[]
}

/** Of the first ones, more of which no commit takes: each is one check and one row at least. */
function changesOf(
  store: Store,
  partition: string,
  { lane, seq }: { readonly lane: string; readonly seq: number },
  fresh: readonly FreshWrite[],
  from: number,
): Change[] {
  const { limits } = store.storage
  return fresh.slice(0, Math.max(1, limits.operations / 2)).map(({ key, write, old }, i) => ({
    check: { table: 'writes', key, version: old?.version },
    deleteRanges: old ? knownPartsOfWrite(partition, old) : [],
    puts: writePuts(limits, partition, { lane, seq }, { at: from + i / 1000, write }),
  }))
}
