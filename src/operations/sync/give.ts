import { toBytesInSlices } from '../../state/slices/encode.ts'
import { pauses, type Pause } from '../../state/slices/pause.ts'
import { checkpointKey, seqRange } from '../../storage/keys.ts'
import type { Query, Row } from '../../storage/storage.ts'
import { FrameRows, readFrames } from '../frames/frames.ts'
import type { SyncGiveReply, SyncGiveRequest, SyncRow, SyncWrite } from '../host.ts'
import { infoOf, keyOf, openCheckpoint, type CheckpointRow } from '../rows/checkpoint-row.ts'
import { laneOf, shows } from '../rows/lanes.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import { openWrite } from '../rows/write-row.ts'
import { markSynced } from './mark-synced.ts'
import { readWhole } from '../store/read-place.ts'
import type { Store } from '../store/store.ts'
import { isUnread, unlessUnread } from '../store/unread.ts'

const MOST_ROWS = 64
/** A page ends with the row that goes beyond this, so that one page is never much in memory. */
const MOST_BYTES = 512 * 1024

/** The checkpoints with these seqs, as many of them, from the first on, as one page takes. */
export async function syncGive(store: Store, request: SyncGiveRequest): Promise<SyncGiveReply> {
  const given = await readWhole(
    store,
    request,
    (thread) => giveSome(store, thread, request),
    ({ damaged }) => damaged.length > 0,
  )
  return given ?? { rows: [], passed: request.seqs.length, damaged: [] }
}

async function giveSome(
  store: Store,
  thread: ThreadRow,
  { seqs, states }: SyncGiveRequest,
): Promise<SyncGiveReply> {
  const { partition } = thread
  // Asked at the beginning already, of a family that may have been deleted, and begun anew, since.
  await markSynced(store, partition)
  const some = await fewEnough(store, thread, seqs.slice(0, MOST_ROWS), states)
  const { facts } = thread
  const [rows = [], ...beside] = await store.storage.read(partition, [
    { table: 'checkpoints', keys: [...some.rows.map(({ key }) => key), ...some.bases] },
    ...some.rows.flatMap(({ key }): Query[] => {
      const [lane, seq] = key as [string, number]
      const own = seqRange(facts.lane, seq, seq)
      return [
        { table: 'parts', ...seqRange(lane, seq, seq) },
        { table: 'writes', ...own },
        { table: 'parts', ...own },
      ]
    }),
  ])
  const parts = beside.filter((_, i) => i % 3 === 0).flat()
  const frames = new FrameRows(partition, rows, parts)
  const pause = pauses()
  const given: SyncRow[] = []
  const damaged: number[] = []
  for (const [i, { key }] of some.rows.entries()) {
    const [lane, seq] = key as [string, number]
    try {
      const row = frames.get(lane, seq)
      if (!row) continue
      const state =
        states === 'none'
          ? { body: new Uint8Array() }
          : await stateOf(store, thread, frames, row, states === 'whole', pause)
      const writes = await writesOf(partition, beside[i * 3 + 1] ?? [], beside[i * 3 + 2] ?? [], pause)
      given.push({ info: infoOf(row.facts), ...state, writes })
    } catch (error) {
      if (!isUnread(error)) throw error
      damaged.push(seq)
    }
    await pause()
  }
  return { rows: given, passed: some.passed, damaged }
}

interface Some {
  readonly rows: readonly Row[]
  readonly bases: readonly (readonly [lane: string, seq: number])[]
  readonly passed: number
}

async function fewEnough(
  store: Store,
  { partition, facts }: ThreadRow,
  seqs: readonly number[],
  states: SyncGiveRequest['states'],
): Promise<Some> {
  const keys = seqs
    .map((seq) => checkpointKey(laneOf(facts.segments, seq).lane, seq))
    .filter(([lane, seq]) => shows(facts.segments, lane as string, seq as number))
  const [rows = []] = await store.storage.read(partition, [{ table: 'checkpoints', keys }])
  const bases = new Map<string, readonly [string, number]>()
  let bytes = 0
  for (const [i, row] of rows.entries()) {
    const frame = unlessUnread(() => openCheckpoint(partition, row))?.facts.frame
    bytes += (states === 'whole' ? frame && frame.whole + frame.chain : frame?.size) ?? 0
    if (i > 0 && bytes > MOST_BYTES) {
      const passed = seqs.indexOf(row.key[1] as number)
      return { rows: rows.slice(0, i), bases: [...bases.values()], passed }
    }
    if (frame?.base) bases.set(frame.base.join('/'), frame.base)
  }
  return { rows, bases: [...bases.values()], passed: seqs.length }
}

/** What changed since a checkpoint that the thread shows too; else the whole. */
async function stateOf(
  store: Store,
  { partition, facts }: ThreadRow,
  frames: FrameRows,
  row: CheckpointRow,
  isWhole: boolean,
  pause: Pause,
): Promise<Pick<SyncRow, 'base' | 'body'>> {
  const { base, root } = row.facts.frame
  if (!base) return { body: await frames.body(row, pause) }
  const below = shows(facts.segments, ...base) ? unlessUnread(() => frames.get(...base)) : undefined
  if (below && !isWhole)
    return {
      base: { id: below.facts.id, key: keyOf(below.facts) },
      body: await frames.body(row, pause),
    }
  const chain = await readFrames(store, partition, facts.segments, root, row.seq)
  return { body: await toBytesInSlices(await chain.state(row.lane, row.seq, pause), pause) }
}

async function writesOf(
  partition: string,
  rows: readonly Row[],
  parts: readonly Row[],
  pause: Pause,
): Promise<SyncWrite[]> {
  const opened = []
  for (const row of rows) opened.push(await openWrite(partition, row, parts, pause))
  return opened.sort((a, b) => a.at - b.at).map(({ made, write }) => ({ ...write, made }))
}
