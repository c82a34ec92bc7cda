import { checkpointKey } from '../../storage/keys.ts'
import type { Batch } from '../../storage/storage.ts'
import { readFrames } from './frames.ts'
import type { Place } from '../host.ts'
import {
  checkpointPutsInSlices,
  dropParts,
  keyframe,
  type CheckpointFacts,
  type StoredFrame,
} from '../rows/checkpoint-row.ts'
import { laneOf } from '../rows/lanes.ts'
import { toBytesInSlices } from '../../state/slices/encode.ts'
import { pauses } from '../../state/slices/pause.ts'
import { LOST_RACE, tryCommit } from '../store/commit.ts'
import { threadPut, type ThreadFacts } from '../rows/thread-row.ts'
import { plain, type Store } from '../store/store.ts'
import { placeText, type Lineage } from '../store/thread-cache.ts'
import { checkThread } from '../store/threads.ts'

/** A chain is worth a new keyframe when its deltas weigh more than that would, and are worth the trouble … */
const LEAST_BYTES = 4096
/**
 * … or are so many that reading them is slow. To read a row takes as long as to read 8 KiB more in one piece: so a
 * small state may have more of them, and a large one no fewer than it takes to be worth a keyframe.
 */
const MOST_ROWS = 200
const MANY_ROWS = 128
const BYTES_READ_A_ROW = 8 * 1024
const BYTES_A_ROW = 16 * 1024

/** `weight`: what a new keyframe would weigh, as far as that is known; `heavy`: what a chain may. */
export function isLong({ rows, chain, whole }: StoredFrame, weight = whole, heavy = weight): boolean {
  return (
    rows > 0 &&
    (chain > Math.max(heavy, LEAST_BYTES) ||
      rows > Math.max(MANY_ROWS, MOST_ROWS - weight / BYTES_READ_A_ROW, weight / BYTES_A_ROW))
  )
}

/** A state that grows with its chain is weighed anew when that has grown by this much. */
const WEIGHED_AGAIN = 1.25

/** The same, as far as it can be told without the state. */
export const mayBeLong = (frame: StoredFrame, { weighed }: Lineage): boolean =>
  isLong(frame, weighed?.weight, weighed && Math.max(weighed.weight, weighed.chain * WEIGHED_AGAIN))

const waiting = new WeakMap<Store, Set<string>>()

/** Rewrites the thread's head as a keyframe, beside what callers wait for. */
export function compactSoon(store: Store, place: Place): void {
  const own = plain(store)
  const names = waiting.get(own) ?? new Set()
  waiting.set(own, names)
  const name = placeText(place)
  if (names.has(name)) return
  names.add(name)
  own.background(() => compact(own, place).finally(() => names.delete(name)))
}

/**
 * The same state in another form: whoever reads meanwhile gets the old row or the new one. Guarded by the row's
 * version, so a row that was removed or rewritten meanwhile stays as it is.
 */
async function compact(store: Store, place: Place): Promise<void> {
  const thread = store.threads.get(place)
  const head = thread?.facts.head
  if (!thread || !head || !mayBeLong(head.frame, thread.lineage)) return
  const { partition, facts } = thread
  const { lane } = laneOf(facts.segments, head.seq)
  // A borrowed head is another thread's row: it stays as it is, our next save gets a keyframe of its own.
  if (lane !== facts.lane) return
  const rows = await readFrames(store, partition, facts.segments, head.frame.root, head.seq)
  const found = rows.get(lane, head.seq)
  if (!found) return
  const pause = pauses()
  const body = await toBytesInSlices(await rows.state(lane, head.seq, pause), pause)
  if (!isLong(head.frame, body.length)) {
    // It has grown with its chain, as a list does to which each step adds.
    const weighed = { weight: body.length, chain: head.frame.chain }
    const now = store.threads.get(place)
    if (now?.facts.lane === lane) store.threads.set(place, now, { ...now.lineage, weighed })
    return
  }
  const { frame: _old, ...info } = found.facts
  const { facts: written, puts } = await checkpointPutsInSlices(
    store.storage.limits,
    partition,
    lane,
    { ...info, frame: keyframe(head.seq, body.length) },
    body,
    pause,
  )
  await store.inTurn(place, () =>
    commitKeyframe(store, place, facts, written, {
      checks: [{ table: 'checkpoints', key: checkpointKey(lane, head.seq), version: found.row.version }],
      deleteRanges: dropParts(found),
      puts,
    }),
  )
}

/** With the thread's row, so that whoever opens the database next reads no further back than the keyframe. */
async function commitKeyframe(
  store: Store,
  place: Place,
  made: ThreadFacts,
  keyframed: CheckpointFacts,
  batch: Batch,
): Promise<void> {
  const thread = store.threads.get(place)
  // The thread may have been deleted and made anew meanwhile: then the keyframe is another's.
  if (!thread?.facts.head || thread.facts.lane !== made.lane) return
  const lineage = { links: thread.lineage.links, keyframe: keyframed }
  const facts = { ...thread.facts, head: shortened(thread.facts.head, lineage) }
  const version = await tryCommit(store, thread.partition, {
    ...batch,
    checks: [...(batch.checks ?? []), checkThread(thread)],
    puts: [...(batch.puts ?? []), threadPut(thread.partition, facts)],
  })
  if (version !== LOST_RACE && store.threads.get(place)?.version === thread.version)
    store.threads.set(place, { ...thread, version, facts }, lineage)
}

/** The same checkpoint with a chain that ends at the latest keyframe, if it really passes through that. */
export function shortened(head: CheckpointFacts, { links, keyframe: end }: Lineage): CheckpointFacts {
  if (!end || head.frame.root >= end.seq) return head
  let rows = 0
  let chain = 0
  for (let seq = head.seq; seq !== end.seq; rows++) {
    const link = links.get(seq)
    if (!link || link.base < end.seq) return head
    chain += link.size
    seq = link.base
  }
  const frame: StoredFrame =
    rows === 0 ? end.frame : { ...head.frame, root: end.seq, rows, chain, whole: end.frame.whole }
  return { ...head, frame }
}
