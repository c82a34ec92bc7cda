import { CheckpointerError } from '../../errors.ts'
import { pauses, type Pause } from '../../state/slices/pause.ts'
import { checkpointKey, seqRange, writePartsOf } from '../../storage/keys.ts'
import type { Query, Row } from '../../storage/storage.ts'
import { findCheckpoint } from '../store/find.ts'
import { frameQueries, frameRows, missingLink, packFrames } from '../frames/frames.ts'
import type { Frames, LoadReply, LoadRequest } from '../host.ts'
import { infoOf, keyOf, type CheckpointFacts } from '../rows/checkpoint-row.ts'
import { laneOf } from '../rows/lanes.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import { readPlace } from '../store/read-place.ts'
import type { Store } from '../store/store.ts'
import { openWrites } from '../rows/write-row.ts'

export async function load(store: Store, request: LoadRequest): Promise<LoadReply | undefined> {
  return readPlace(store, request, async (thread, rows) => {
    let seq: number | undefined
    try {
      const facts = request.at ? (await findCheckpoint(rows, thread, request.at))?.facts : thread.facts.head
      seq = facts?.seq
      if (!facts) return undefined
      const read = await rows.storage.read(thread.partition, loadQueries(thread, facts, request.known))
      return await replyOf(thread, facts, request.known, read)
    } catch (error) {
      throw placed(error, request, seq)
    }
  })
}

/** The frames, or of a state that is known only its row; then the pending writes, and their parts, if there are any. */
function loadQueries(thread: ThreadRow, facts: CheckpointFacts, known: string | undefined): Query[] {
  const { segments, lane: own, writes } = thread.facts
  const { lane } = laneOf(segments, facts.seq)
  const row = { table: 'checkpoints', keys: [checkpointKey(lane, facts.seq)] } as const
  return [
    ...(keyOf(facts) === known ? [row] : frameQueries(segments, facts.frame.root, facts.seq)),
    ...(writes
      ? [
          { table: 'writes', ...seqRange(own, facts.seq, facts.seq) } as const,
          { table: 'parts', ...writePartsOf(own, facts.seq) } as const,
        ]
      : []),
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
  const found = [...read]
  const [writes = [], parts = []] = thread.facts.writes ? found.splice(-2) : []
  const pause = pauses()
  const frames = isKnown ? undefined : await framesOf(partition, found, lane, facts.seq, pause)
  if (isKnown && !found[0]?.[0]) throw missingLink(facts.seq)
  return {
    info: infoOf(facts),
    ...(frames ? { frames } : {}),
    writes: await openWrites(partition, writes, parts, pause).catch(refuseWrites),
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

/**
 * All or none: whoever goes on by them would take what is missing for not done. The state beside them is whole, and can
 * be had where nobody is told of any writes.
 */
function refuseWrites(error: unknown): never {
  if (!CheckpointerError.is(error, 'CORRUPT')) throw error
  const why =
    'one of its pending writes is damaged. Its state is not: a history with states gives it, and a fork'
  throw new CheckpointerError('CORRUPT', `${why}. ${error.message}`, { cause: error })
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
