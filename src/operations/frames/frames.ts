import { CheckpointerError } from '../../errors.ts'
import { fold, parseDelta } from '../../state/delta.ts'
import type { Json } from '../../state/json.ts'
import { parseInSlices } from '../../state/slices/parse.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { ownerOfPart, seqRange } from '../../storage/keys.ts'
import type { Query, Row } from '../../storage/storage.ts'
import type { Frames } from '../host.ts'
import { openCheckpoint, type CheckpointRow } from '../rows/checkpoint-row.ts'
import { stretches, type Segment } from '../rows/lanes.ts'
import { joinPayload } from '../rows/payload.ts'
import type { Rows } from '../store/read-place.ts'

/** The rows of some lanes between two seqs, read at one moment, opened and checked when first asked for. */
export class FrameRows {
  readonly #partition: string
  readonly #rows = new Map<string, Row>()
  readonly #opened = new Map<string, CheckpointRow>()
  readonly #parts = new Map<string, Row[]>()

  constructor(partition: string, rows: readonly Row[], parts: readonly Row[]) {
    this.#partition = partition
    for (const row of rows) this.#rows.set(rowName(row.key[0] as string, row.key[1] as number), row)
    for (const part of parts) {
      const name = partsName(part.key[0] as string, part.key[1] as number, ownerOfPart(part.key))
      const list = this.#parts.get(name)
      if (list) list.push(part)
      else this.#parts.set(name, [part])
    }
  }

  get(lane: string, seq: number): CheckpointRow | undefined {
    const name = rowName(lane, seq)
    const known = this.#opened.get(name)
    const row = this.#rows.get(name)
    if (known || !row) return known
    const opened = openCheckpoint(this.#partition, row)
    this.#opened.set(name, opened)
    return opened
  }

  /** The payload of a row: the whole state, or a delta. */
  body({ lane, seq, facts, row }: CheckpointRow, pause: Pause): Promise<Uint8Array> {
    const [owner = '', count = 0] = facts.frame.parts ?? []
    return joinPayload(
      this.#partition,
      row,
      count,
      facts.frame.size,
      this.#parts.get(partsName(lane, seq, owner)) ?? [],
      pause,
    )
  }

  /** The payload, parsed. */
  async parsed(row: CheckpointRow, pause: Pause): Promise<Json> {
    return parseBody(await this.body(row, pause), row.seq, pause)
  }

  /** From the keyframe to the row itself: what its state is folded from. `undefined` when a link is missing. */
  chain(lane: string, seq: number): CheckpointRow[] | undefined {
    const links: CheckpointRow[] = []
    for (let next: readonly [string, number] | undefined = [lane, seq]; next;) {
      const found = this.get(next[0], next[1])
      if (!found) return undefined
      links.push(found)
      const { base } = found.facts.frame
      // What could be a circle is no chain.
      if (base && base[1] >= found.seq) return undefined
      next = base
    }
    return links.reverse()
  }

  /** The state of one row, for those who compare or rewrite. */
  async state(lane: string, seq: number, pause: Pause): Promise<Json> {
    const links = this.chain(lane, seq)
    if (!links) throw missingLink(seq)
    let state: Json = null
    for (const link of links) {
      const parsed = await this.parsed(link, pause)
      state = link.facts.frame.base ? fold(state, parseDelta(parsed)) : parsed
    }
    return state
  }
}

/** Names a row in the maps of one partition; a lane has no slash in it. */
export const rowName = (lane: string, seq: number): string => `${lane}/${seq}`

const partsName = (lane: string, seq: number, owner: string): string => `${lane}/${seq}/${owner}`

export const missingLink = (seq: number): CheckpointerError =>
  new CheckpointerError('CORRUPT', `A row that checkpoint ${seq} is built on is missing.`, { seq })

export async function parseBody(body: Uint8Array, seq: number, pause: Pause): Promise<Json> {
  try {
    return await parseInSlices(body, pause)
  } catch (cause) {
    throw new CheckpointerError('CORRUPT', `The payload of checkpoint ${seq} is no JSON.`, { seq, cause })
  }
}

/** The queries for all frames of a thread from one seq to another: rows and parts, for each stretch in turn. */
export function frameQueries(segments: readonly Segment[], from: number, to: number): Query[] {
  return stretches(segments)
    .filter((stretch) => stretch.from <= to && stretch.last >= from)
    .flatMap((stretch) => {
      const range = seqRange(stretch.lane, Math.max(from, stretch.from), Math.min(to, stretch.last))
      // Parts first: a large value takes a while to come, and the rows are read meanwhile.
      return [
        { table: 'parts', ...range },
        { table: 'checkpoints', ...range },
      ] as const
    })
}

/** Sorts what `frameQueries` brought. */
export function frameRows(partition: string, results: readonly Row[][]): FrameRows {
  const parts = results.filter((_, i) => i % 2 === 0).flat()
  const rows = results.filter((_, i) => i % 2 === 1).flat()
  return new FrameRows(partition, rows, parts)
}

export async function readFrames(
  store: Rows,
  partition: string,
  segments: readonly Segment[],
  from: number,
  to: number,
): Promise<FrameRows> {
  return frameRows(partition, await store.storage.read(partition, frameQueries(segments, from, to)))
}

/** Packs chains for the caller's side: each row once, a base always before what stands on it. */
export async function packFrames(
  rows: FrameRows,
  chains: readonly (readonly CheckpointRow[])[],
  pause: Pause,
): Promise<Frames> {
  const links = new Map<string, CheckpointRow>()
  for (const chain of chains) for (const link of chain) links.set(rowName(link.lane, link.seq), link)
  const index: { seq: number; base?: number }[] = []
  const pieces: Uint8Array[] = []
  for (const link of links.values()) {
    const base = link.facts.frame.base
    index.push(base ? { seq: link.seq, base: base[1] } : { seq: link.seq })
    pieces.push(await rows.body(link, pause))
  }
  return { index, bodies: pieces }
}
