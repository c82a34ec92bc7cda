import { CheckpointerError } from '../../errors.ts'
import type { StoredInfo, StoredSummary } from '../host.ts'
import { murmur3 } from '../rows/checksum.ts'
import type { Ranges } from '../rows/lanes.ts'

/** Of the lines; what they hold has the number of the stored format. docs/export.md says all of it. */
export const EXPORT_VERSION = 1
/** No line is longer, neither written nor read. */
export const MOST_LINE_BYTES = 4 * 1024 * 1024
/** Payloads are cut into pieces of so many bytes, at most. */
const PIECE_BYTES = 256 * 1024

/** Nor any payload: it has to be a text at both ends, and in memory. */
export const MOST_PAYLOAD_BYTES = 256 * 1024 * 1024

export const tooLargeState = (size: number): CheckpointerError =>
  new CheckpointerError(
    'TOO_LARGE',
    `A state of ${size} bytes is not carried by a file; the most is ${MOST_PAYLOAD_BYTES}.`,
  )

interface HeaderLine {
  readonly kind: 'forkpoint-export'
  readonly version: number
  /** The stored format, which says what facts and payloads are. */
  readonly format: number
  readonly createdAt: number
}

/** A lane by its number within its family. */
export interface LineSegment {
  readonly lane: number
  readonly to?: number
  readonly hide?: Ranges
}

export interface ThreadLine {
  readonly kind: 'thread'
  readonly thread: string
  readonly namespace: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly next: number
  readonly segments: readonly LineSegment[]
  readonly label?: string
  readonly forkOf?: NonNullable<StoredSummary['forkOf']>
}

export interface CheckpointLine {
  readonly kind: 'checkpoint'
  readonly lane: number
  readonly facts: StoredInfo
  readonly base?: readonly [lane: number, seq: number]
  readonly size: number
  readonly body: string
}

export interface WriteLine {
  readonly kind: 'write'
  readonly lane: number
  readonly seq: number
  readonly taskId: string
  readonly index: number
  readonly channel: string
  readonly at: number
  /** When it was made, where that is another time. */
  readonly made?: number
  readonly size: number
  readonly body: string
}

/** A checkpoint that could not be read, or that stands on one; with `to` all of them up to that one. */
interface MissingLine {
  readonly kind: 'missing'
  readonly lane: number
  readonly seq: number
  readonly to?: number
}

export interface Counts {
  readonly families: number
  readonly threads: number
  readonly checkpoints: number
  readonly writes: number
}

export type ExportLine =
  | HeaderLine
  /** What follows shares rows. */
  | { readonly kind: 'family' }
  /** The family was changed while it was read: all since its line is void, and comes again. */
  | { readonly kind: 'again' }
  | ThreadLine
  | CheckpointLine
  | WriteLine
  /** The next piece of a body that was too long for one line. */
  | { readonly kind: 'more'; readonly body: string }
  | MissingLine
  | ({ readonly kind: 'end' } & Counts)

/** Counts lines as both ends do. */
export class Tally {
  #whole: Counts = NOTHING
  #family: Counts = NOTHING

  see({ kind }: Pick<ExportLine, 'kind'>): void {
    const { families, threads, checkpoints, writes } = this.#family
    if (kind === 'again') this.#family = { ...NOTHING, families }
    else if (kind === 'family') {
      this.#whole = this.counts
      this.#family = { ...NOTHING, families: 1 }
    } else if (kind === 'thread') this.#family = { ...this.#family, threads: threads + 1 }
    else if (kind === 'checkpoint') this.#family = { ...this.#family, checkpoints: checkpoints + 1 }
    else if (kind === 'write') this.#family = { ...this.#family, writes: writes + 1 }
  }

  get counts(): Counts {
    const [a, b] = [this.#whole, this.#family]
    return {
      families: a.families + b.families,
      threads: a.threads + b.threads,
      checkpoints: a.checkpoints + b.checkpoints,
      writes: a.writes + b.writes,
    }
  }
}

const NOTHING: Counts = { families: 0, threads: 0, checkpoints: 0, writes: 0 }

const encoder = new TextEncoder()

/**
 * `<sum> <json>` and a line feed, where the sum is eight hex digits over the JSON with the sum before as its seed: a
 * line that was changed, dropped, repeated or moved does not fit.
 */
export class LineWriter {
  #sum = 0

  write(line: ExportLine): Uint8Array[] {
    const json = encoder.encode(JSON.stringify(line))
    refuseLine(json.length)
    this.#sum = murmur3(json, this.#sum)
    return [encoder.encode(`${sumText(this.#sum)} `), json, LINE_FEED]
  }
}

const LINE_FEED = new Uint8Array([10])

export const sumText = (sum: number): string => sum.toString(16).padStart(8, '0')

/** A payload as text, in pieces that each fit a line; the first is always there. */
function* piecesOf(payload: Uint8Array): Generator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let at = 0
  do {
    const end = at + PIECE_BYTES
    yield decoder.decode(payload.subarray(at, end), { stream: end < payload.length })
    at = end
  } while (at < payload.length)
}

/** Of what has no room in a file. Facts were not always as short as they are now. */
export function refuseTooLarge(facts: StoredInfo, payload: Uint8Array): void {
  if (payload.length > MOST_PAYLOAD_BYTES) throw tooLargeState(payload.length)
  const { extra, next, path } = facts
  if (!extra && !next && !path) return
  const { length } = JSON.stringify([extra, next, path])
  // Else a line takes it whatever its characters are, beside the first piece of a payload.
  if (length > MOST_LINE_BYTES / 4) refuseLine(encoder.encode(JSON.stringify(facts)).length + ROOM)
}

/** For the first piece of a payload, of which each character may be escaped. */
const ROOM = PIECE_BYTES * 2 + 1024

function refuseLine(length: number): void {
  if (length <= MOST_LINE_BYTES) return
  throw new CheckpointerError(
    'TOO_LARGE',
    `What is known of one checkpoint or thread takes ${length} bytes; a line of an export takes ${MOST_LINE_BYTES}.`,
  )
}

/** A line with the first piece of its payload, and those with the others. */
export function* withPayload(
  line: Omit<CheckpointLine, 'size' | 'body'> | Omit<WriteLine, 'size' | 'body'>,
  payload: Uint8Array,
): Generator<ExportLine> {
  if (payload.length > MOST_PAYLOAD_BYTES) throw tooLargeState(payload.length)
  let isFirst = true
  for (const body of piecesOf(payload)) {
    yield isFirst ? { ...line, size: payload.length, body } : { kind: 'more', body }
    isFirst = false
  }
}
