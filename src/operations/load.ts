import { CheckpointerError } from '../errors.ts'
import { pauses, type Pause } from '../state/slices/pause.ts'
import { checkpointKey, seqRange, threadKey, writePartsOf } from '../storage/keys.ts'
import type { Query, Row } from '../storage/storage.ts'
import { findCheckpoint } from './store/find.ts'
import { frameQueries, frameRows, missingLink, packFrames } from './frames/frames.ts'
import type { Frames, LoadReply, LoadRequest } from './host.ts'
import { infoOf, keyOf, type CheckpointFacts } from './rows/checkpoint-row.ts'
import { laneOf } from './rows/lanes.ts'
import type { ThreadRow } from './rows/thread-row.ts'
import { ifDamaged, readWhole, type Store } from './store/store.ts'
import { openWrites } from './rows/write-row.ts'

export async function load(store: Store, request: LoadRequest): Promise<LoadReply | undefined> {
  const remembered = request.at ? undefined : await loadRemembered(store, request).catch(ifDamaged)
  if (remembered) return remembered
  return readWhole(store, request, async (thread) => {
    let seq: number | undefined
    try {
      const facts = request.at ? (await findCheckpoint(store, thread, request.at))?.facts : thread.facts.head
      seq = facts?.seq
      if (!facts) return undefined
      const read = await store.storage.read(thread.partition, loadQueries(thread, facts, request.known))
      return await replyOf(thread, facts, request.known, read)
    } catch (error) {
      throw placed(error, request, seq)
    }
  })
}

/**
 * By the thread's row as last seen from here, which is read again beside what it leads to: one round trip, when nobody
 * has changed it since. Nothing else is decided by what was remembered.
 */
async function loadRemembered(store: Store, request: LoadRequest): Promise<LoadReply | undefined> {
  const thread = store.threads.get(request)
  const facts = thread?.facts.head
  if (!thread || !facts) return undefined
  const own: Query = { table: 'threads', keys: [threadKey(request.thread, request.namespace)] }
  const queries = loadQueries(thread, facts, request.known)
  const [rows, ...read] = await store.storage.read(thread.partition, [own, ...queries])
  if (rows?.[0]?.version !== thread.version) return undefined
  return replyOf(thread, facts, request.known, read)
}

/** The frames, or of a state that is known only its row; then the pending writes, and their parts. */
function loadQueries(thread: ThreadRow, facts: CheckpointFacts, known: string | undefined): Query[] {
  const { segments, lane: own } = thread.facts
  const { lane } = laneOf(segments, facts.seq)
  const row = { table: 'checkpoints', keys: [checkpointKey(lane, facts.seq)] } as const
  return [
    ...(keyOf(facts) === known ? [row] : frameQueries(segments, facts.frame.root, facts.seq)),
    { table: 'writes', ...seqRange(own, facts.seq, facts.seq) },
    { table: 'parts', ...writePartsOf(own, facts.seq) },
  ]
}

async function replyOf(
  thread: ThreadRow,
  facts: CheckpointFacts,
  known: string | undefined,
  read: readonly Row[][],
): Promise<LoadReply> {
  const { partition } = thread
  const { lane } = laneOf(thread.facts.segments, facts.seq)
  const isKnown = keyOf(facts) === known
  const found = read.slice(0, -2)
  const [writes = [], parts = []] = read.slice(-2)
  const pause = pauses()
  const frames = isKnown ? undefined : await framesOf(partition, found, lane, facts.seq, pause)
  if (isKnown && !found[0]?.[0]) throw missingLink(facts.seq)
  return {
    info: infoOf(facts),
    ...(frames ? { frames } : {}),
    writes: await openWrites(partition, writes, parts, pause),
    ...(thread.facts.run ? { run: thread.facts.run } : {}),
  }
}

function framesOf(
  partition: string,
  found: readonly Row[][],
  lane: string,
  seq: number,
  pause: Pause,
): Promise<Frames> {
  const rows = frameRows(partition, found)
  const chain = rows.chain(lane, seq)
  if (!chain) throw missingLink(seq)
  return packFrames(rows, [chain], pause)
}

/** Says of which thread, and which checkpoint cannot be read because of the damage. */
function placed(error: unknown, { thread, namespace }: LoadRequest, wanted: number | undefined): unknown {
  if (!CheckpointerError.is(error, 'CORRUPT')) return error
  const seq = error.seq ?? wanted
  const message =
    wanted === undefined ? error.message : `Checkpoint ${wanted} cannot be read: ${error.message}`
  return new CheckpointerError('CORRUPT', message, {
    thread,
    namespace,
    ...(seq === undefined ? {} : { seq }),
    cause: error,
  })
}
