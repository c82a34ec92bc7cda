import { fold, parseDelta, type Delta } from '../../../state/delta.ts'
import type { Json } from '../../../state/json.ts'
import { toBytesInSlices } from '../../../state/slices/encode.ts'
import { pauses, type Pause } from '../../../state/slices/pause.ts'
import { seqRange } from '../../../storage/keys.ts'
import type { Batch, Range } from '../../../storage/storage.ts'
import { FrameRows, missingLink, rowName } from '../../frames/frames.ts'
import {
  checkpointPutsInSlices,
  deltaFrame,
  dropParts,
  keyframe,
  type CheckpointFacts,
  type CheckpointRow,
  type StoredFrame,
} from '../../rows/checkpoint-row.ts'
import type { ThreadFacts } from '../../rows/thread-row.ts'
import type { LaneRows } from '../read/lane-rows.ts'
import type { Store } from '../../store/store.ts'
import { ifDamaged } from '../../store/unread.ts'

/** Rows as they will stand, by their names. */
export type Rewritten = ReadonlyMap<string, CheckpointFacts>

interface Rebased {
  readonly batch: Batch
  readonly rewritten: Rewritten
}

/** New frames for the rows whose base is about to be dropped: the same states, standing on what stays. */
export async function rebase(
  store: Store,
  partition: string,
  lanes: LaneRows,
  remaining: readonly ThreadFacts[],
  dropped: readonly CheckpointRow[],
): Promise<Rebased> {
  const names = new Set(dropped.map((row) => rowName(row.lane, row.seq)))
  const lanesOfDropped = new Set(dropped.map(({ lane }) => lane))
  // No other has anything that stands on these.
  const near = remaining.filter(({ segments }) => segments.some(({ lane }) => lanesOfDropped.has(lane)))
  const all = await lanes.ofAll(near.flatMap((thread) => thread.segments.map((segment) => segment.lane)))
  const known = new Map([...dropped, ...all].map((row) => [rowName(row.lane, row.seq), row]))
  const dependents = all.filter(({ lane, seq, facts: { frame } }) => {
    return frame.base && names.has(rowName(...frame.base)) && !names.has(rowName(lane, seq))
  })
  if (dependents.length === 0) return { batch: {}, rewritten: new Map() }

  const rows = await readChains(store, partition, dependents, names, known)
  // A state that stands on damage is lost already: it is left as it is, and keeps nothing else from going.
  const pause = pauses()
  const rewritten = new Map<string, CheckpointFacts>()
  const parts: Awaited<ReturnType<typeof moveDown>>[] = []
  // The lowest first: what is put on another of them goes by what that one has become.
  for (const dependent of dependents.toSorted((a, b) => a.seq - b.seq)) {
    const moving = moveDown(store, partition, rows, names, rewritten, dependent, pause)
    const part = await moving.catch(ifDamaged)
    if (part) {
      parts.push(part)
      rewritten.set(rowName(dependent.lane, dependent.seq), part.facts)
    }
    await pause()
  }
  const batch: Batch = {
    checks: parts.map(({ row }) => ({ table: 'checkpoints', key: row.row.key, version: row.row.version })),
    deleteRanges: parts.flatMap(({ row }) => dropParts(row)),
    puts: parts.flatMap(({ puts }) => puts),
  }
  return { batch, rewritten }
}

/** All rows, with their parts, between each dependent and the first that stays, or its keyframe: at one moment. */
async function readChains(
  store: Store,
  partition: string,
  dependents: readonly CheckpointRow[],
  dropped: ReadonlySet<string>,
  known: ReadonlyMap<string, CheckpointRow>,
): Promise<FrameRows> {
  const keys = new Map<string, readonly [lane: string, seq: number]>()
  /** What stays, under the dropped: only the facts are needed of these. */
  const onto = new Map<string, readonly [lane: string, seq: number]>()
  for (const dependent of dependents) {
    for (let link = dependent; ;) {
      const { base } = link.facts.frame
      // A link of two dependents is read once; below it the way is the same.
      if (keys.has(rowName(link.lane, link.seq))) break
      keys.set(rowName(link.lane, link.seq), [link.lane, link.seq])
      if (!base) break
      if (!dropped.has(rowName(...base))) {
        onto.set(rowName(...base), base)
        break
      }
      const next = known.get(rowName(...base))
      if (!next) break
      link = next
    }
  }
  const rowRuns = runsOf([...keys.values(), ...onto.values()])
  // Of any owner: the row may have been rewritten since it was seen.
  const partRuns = runsOf(keys.values())
  const found = await store.storage.read(partition, [
    ...partRuns.map((range) => ({ table: 'parts', ...range }) as const),
    ...rowRuns.map((range) => ({ table: 'checkpoints', ...range }) as const),
  ])
  return new FrameRows(partition, found.slice(partRuns.length).flat(), found.slice(0, partRuns.length).flat())
}

/** Neighbours in a lane as one range each: a chain of a hundred rows is two requests then, not two hundred. */
function runsOf(rows: Iterable<readonly [lane: string, seq: number]>): Range[] {
  const runs: { lane: string; from: number; to: number }[] = []
  for (const [lane, seq] of [...rows].sort((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1))) {
    const last = runs.at(-1)
    if (last?.lane === lane && seq <= last.to + 1) last.to = seq
    else runs.push({ lane, from: seq, to: seq })
  }
  return runs.map(({ lane, from, to }) => seqRange(lane, from, to))
}

async function moveDown(
  store: Store,
  partition: string,
  rows: FrameRows,
  dropped: ReadonlySet<string>,
  rewritten: Rewritten,
  { lane, seq }: CheckpointRow,
  pause: Pause,
) {
  const row = need(rows, lane, seq)
  const deltas: Delta[] = []
  let link = row
  let onto: CheckpointRow | undefined
  for (;;) {
    const { base } = link.facts.frame
    if (!base) break
    deltas.unshift(parseDelta(await rows.parsed(link, pause)))
    link = need(rows, ...base)
    if (dropped.has(rowName(...base))) continue
    onto = link
    break
  }
  const { frame: old, ...info } = row.facts
  const write = async (frame: StoredFrame, body: Uint8Array) => ({
    row,
    ...(await checkpointPutsInSlices(store.storage.limits, partition, lane, { ...info, frame }, body, pause)),
  })
  if (onto) {
    const body = await toBytesInSlices(deltas.flat() as unknown as Json, pause)
    const below = rewritten.get(rowName(onto.lane, onto.seq)) ?? onto.facts
    const frame = deltaFrame(onto.lane, below, body.length)
    // What stood no lower before does not now. The row below may know less: it can be from before a new keyframe.
    return write({ ...frame, root: Math.max(frame.root, old.root) }, body)
  }
  const state = deltas.reduce<Json>(fold, await rows.parsed(link, pause))
  const body = await toBytesInSlices(state, pause)
  return write(keyframe(seq, body.length), body)
}

function need(rows: FrameRows, lane: string, seq: number): CheckpointRow {
  const found = rows.get(lane, seq)
  if (!found) throw missingLink(seq)
  return found
}
