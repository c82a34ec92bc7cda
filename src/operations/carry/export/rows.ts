import { fold, parseDelta, type Delta } from '../../../state/delta.ts'
import type { Json } from '../../../state/json.ts'
import { toBytesInSlices } from '../../../state/slices/encode.ts'
import type { Pause } from '../../../state/slices/pause.ts'
import { partsOf, seqRange } from '../../../storage/keys.ts'
import type { Query, Row } from '../../../storage/storage.ts'
import { CheckpointerError } from '../../../errors.ts'
import { familyQuery } from '../../store/family.ts'
import { FrameRows, missingLink, readFrames } from '../../frames/frames.ts'
import { infoOf, openCheckpoint, type CheckpointRow } from '../../rows/checkpoint-row.ts'
import type { Ranges, Segment } from '../../rows/lanes.ts'
import type { Store } from '../../store/store.ts'
import { unlessDamaged } from '../../store/unread.ts'
import type { FamilyView } from './family-view.ts'
import type { LeftOut } from './left-out.ts'
import type { Proof } from './proof.ts'
import { refuseTooLarge, withPayload, type CheckpointLine, type ExportLine } from '../lines.ts'

const ROWS_A_PAGE = 64
/** A page ends with the row that goes beyond this, so that one page is never much in memory. */
export const BYTES_A_PAGE = 128 * 1024

/** A removal has passed: what was read so far no longer fits together. */
export const CHANGED = Symbol('changed')

export interface Leaving {
  /** Told of each checkpoint that cannot be read; throws where none may be left out. */
  readonly out: (error: CheckpointerError) => void
  /** Those that were left out: what stands on them is as well. */
  readonly seqs: LeftOut
}

/** All checkpoints of one lane that are shown, in order of their seqs. */
export async function* checkpointLines(
  store: Store,
  view: FamilyView,
  number: number,
  { leaving, proof }: { readonly leaving: Leaving; readonly proof: Proof },
  pause: Pause,
): AsyncGenerator<ExportLine | typeof CHANGED> {
  const lane = view.lanes[number] as FamilyView['lanes'][number]
  const leaveOut = ([seq, to]: Ranges[number], error: unknown): ExportLine => {
    if (!CheckpointerError.is(error, 'CORRUPT') && !CheckpointerError.is(error, 'TOO_LARGE')) throw error
    leaving.out(error)
    leaving.seqs.add(number, [seq, to])
    return { kind: 'missing', lane: number, seq, ...(to > seq ? { to } : {}) }
  }
  for (let from = lane.from; from <= lane.to;) {
    const page = await readPage(store, view, lane.name, from, lane.to)
    if (page === CHANGED) {
      yield CHANGED
      return
    }
    for (const seq of page.shown) {
      for (const lost of lostBefore(view, lane.name, from, seq)) yield leaveOut(lost, notThere(lost))
      from = seq + 1
      await pause()
      const found = await checkpointOf(store, view, number, seq, page.rows, { leaving, proof }, pause).catch(
        (error: unknown) => ({ error }),
      )
      if (!('error' in found)) yield* withPayload(found.line, found.payload)
      else if (await isAsItWas(store, view)) yield leaveOut([seq, seq], found.error)
      else {
        yield CHANGED
        return
      }
    }
    for (const lost of lostBefore(view, lane.name, from, page.last + 1)) yield leaveOut(lost, notThere(lost))
    from = page.last + 1
  }
}

async function isAsItWas(store: Store, view: FamilyView): Promise<boolean> {
  const [family = []] = await store.storage.read(view.partition, [familyQuery])
  return view.holds(store, family[0]?.version)
}

/** Rows that nobody has removed, and that are not there. */
function* lostBefore(view: FamilyView, lane: string, from: number, seq: number): Generator<Ranges[number]> {
  for (let at = from; ;) {
    const lost = view.expected(lane, at, seq - 1)
    if (lost === undefined) return
    yield lost
    at = lost[1] + 1
  }
}

function notThere([seq, to]: Ranges[number]): CheckpointerError {
  const which = to > seq ? `rows of checkpoints ${seq} to ${to} are` : `row of checkpoint ${seq} is`
  return new CheckpointerError('CORRUPT', `The ${which} not there, and was removed by nobody.`, { seq })
}

interface Page {
  readonly rows: FrameRows
  readonly shown: readonly number[]
  /** All up to here has been looked at. */
  readonly last: number
}

async function readPage(
  store: Store,
  view: FamilyView,
  lane: string,
  from: number,
  to: number,
): Promise<Page | typeof CHANGED> {
  for (;;) {
    const range = { table: 'checkpoints', ...seqRange(lane, from, to), limit: ROWS_A_PAGE } as const
    const [ahead = []] = await store.storage.read(view.partition, [range])
    const rows = fewEnough(view, ahead)
    const isRest = rows.length === ahead.length && ahead.length < ROWS_A_PAGE
    const last = isRest ? to : (rows.at(-1)?.key[1] as number)
    // Again, with their parts and the family's row, at one moment.
    const shown = rows.filter(({ key }) => view.shows(lane, key[1] as number))
    const [family = [], again = [], ...parts] = await store.storage.read(view.partition, [
      familyQuery,
      { table: 'checkpoints', keys: shown.map(({ key }) => key) },
      ...shown.flatMap((row) => partsQuery(view.partition, row)),
    ])
    if (!(await view.holds(store, family[0]?.version))) return CHANGED
    // Rewritten in between, as a keyframe perhaps: its parts are others now.
    if (again.length !== shown.length || again.some((row, i) => row.version !== shown[i]?.version)) continue
    const seqs = shown.map(({ key }) => key[1] as number)
    return { rows: new FrameRows(view.partition, again, parts.flat()), shown: seqs, last }
  }
}

function fewEnough(view: FamilyView, rows: readonly Row[]): readonly Row[] {
  let bytes = 0
  const end = rows.findIndex((row) => {
    bytes += unlessDamaged(() => openCheckpoint(view.partition, row))?.facts.frame.size ?? 0
    return bytes > BYTES_A_PAGE
  })
  return end < 0 ? rows : rows.slice(0, end + 1)
}

function partsQuery(partition: string, row: Row): Query[] {
  const [lane, seq] = row.key as [string, number]
  const parts = unlessDamaged(() => openCheckpoint(partition, row))?.facts.frame.parts
  return parts ? [{ table: 'parts', ...partsOf(lane, seq, parts[0]) }] : []
}

/** What goes into the lines of one checkpoint. */
async function checkpointOf(
  store: Store,
  view: FamilyView,
  number: number,
  seq: number,
  rows: FrameRows,
  { leaving, proof }: { readonly leaving: Leaving; readonly proof: Proof },
  pause: Pause,
): Promise<{ readonly line: Omit<CheckpointLine, 'size' | 'body'>; readonly payload: Uint8Array }> {
  const { name, lineage } = view.lanes[number] as FamilyView['lanes'][number]
  const row = rows.get(name, seq)
  if (!row) throw missingLink(seq)
  const { base } = row.facts.frame
  const stands =
    !base || view.shows(...base)
      ? { base, body: await rows.body(row, pause) }
      : await restOn(store, view, lineage, row, pause)
  const on = stands.base && ([view.numberOf(stands.base[0]), stands.base[1]] as const)
  if (on && leaving.seqs.has(...on)) throw missingLink(seq)
  const facts = infoOf(row.facts)
  refuseTooLarge(facts, stands.body)
  await proof.of({ lane: name, facts: row.facts, ...stands }, lineage, pause)
  return {
    line: { kind: 'checkpoint', lane: number, facts, ...(on ? { base: on } : {}) },
    payload: stands.body,
  }
}

/** The same state, standing on the nearest checkpoint below that is exported, or on none. */
async function restOn(
  store: Store,
  view: FamilyView,
  lineage: readonly Segment[],
  { lane, seq, facts }: CheckpointRow,
  pause: Pause,
): Promise<{ readonly base?: readonly [string, number] | undefined; readonly body: Uint8Array }> {
  const rows = await readFrames(store, view.partition, lineage, facts.frame.root, seq)
  const deltas: Delta[] = []
  for (let link = rows.get(lane, seq); ;) {
    if (!link) throw missingLink(seq)
    const { base } = link.facts.frame
    const parsed = await rows.parsed(link, pause)
    if (!base) return { body: await toBytesInSlices(deltas.reduce<Json>(fold, parsed), pause) }
    deltas.unshift(parseDelta(parsed))
    if (view.shows(...base))
      return { base, body: await toBytesInSlices(deltas.flat() as unknown as Json, pause) }
    link = rows.get(...base)
  }
}
