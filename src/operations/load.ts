import { CheckpointerError } from '../errors.ts'
import { pauses, type Pause } from '../state/slices/pause.ts'
import { checkpointKey, seqRange, writePartsOf } from '../storage/keys.ts'
import type { Row } from '../storage/storage.ts'
import { findCheckpoint } from './store/find.ts'
import { frameQueries, frameRows, missingLink, packFrames } from './frames/frames.ts'
import type { Frames, LoadReply, LoadRequest } from './host.ts'
import { infoOf, keyOf, type CheckpointFacts } from './rows/checkpoint-row.ts'
import { laneOf } from './rows/lanes.ts'
import type { ThreadRow } from './rows/thread-row.ts'
import { readWhole, type Store } from './store/store.ts'
import { openWrites } from './rows/write-row.ts'

export async function load(store: Store, request: LoadRequest): Promise<LoadReply | undefined> {
  return readWhole(store, request, async (thread) => {
    let seq: number | undefined
    try {
      const facts = request.at ? (await findCheckpoint(store, thread, request.at))?.facts : thread.facts.head
      seq = facts?.seq
      return facts && (await loadFacts(store, thread, facts, request.known))
    } catch (error) {
      throw placed(error, request, seq)
    }
  })
}

async function loadFacts(
  store: Store,
  thread: ThreadRow,
  facts: CheckpointFacts,
  known: string | undefined,
): Promise<LoadReply> {
  const { partition } = thread
  const { segments, lane: own } = thread.facts
  const { lane } = laneOf(segments, facts.seq)
  const isKnown = keyOf(facts) === known
  const row = { table: 'checkpoints', keys: [checkpointKey(lane, facts.seq)] } as const
  const frameReads = isKnown ? [row] : frameQueries(segments, facts.frame.root, facts.seq)
  const read = await store.storage.read(partition, [
    ...frameReads,
    { table: 'writes', ...seqRange(own, facts.seq, facts.seq) },
    { table: 'parts', ...writePartsOf(own, facts.seq) },
  ])
  const found = read.slice(0, frameReads.length)
  const [writes = [], parts = []] = read.slice(frameReads.length)
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
