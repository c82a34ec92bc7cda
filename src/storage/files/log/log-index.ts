import type { Key } from '../../storage.ts'
import { Tables } from '../../adapter/rows-in-memory.ts'
import { fromLine, isHeader, NEWLINE, type Entry, type Header } from './line.ts'
import { readAt, type OpenFile } from '../file-system.ts'

/** Where a row stands in its log. */
export interface Spot {
  readonly key: Key
  readonly alias?: Key
  readonly rank?: number
  readonly version: string
  /** Its line. */
  readonly at: number
  readonly length: number
  /** Which of the line's puts it is. */
  readonly number: number
  /** What it takes of the line. */
  readonly weight: number
}

/** Bytes that are no line as it was written. */
export interface Damage {
  readonly at: number
  readonly length: number
}

const PIECE = 1 << 20
/** Of a log's beginning so much tells one file from another that has taken its place. */
export const MARK = 80

/** What is in a log, by where it stands: rows themselves are read from the file, and checked, each time. */
export class LogIndex {
  readonly mark: string
  readonly tables = new Tables<Spot>()
  readonly #damage: Damage[] = []
  #header: Header | undefined
  /** Behind the last line that is whole. */
  #end = 0
  #n = -1
  #weight = 0

  constructor(mark: string) {
    this.mark = mark
  }

  get header(): Header | undefined {
    return this.#header
  }

  get end(): number {
    return this.#end
  }

  /** The number of the last line. */
  get n(): number {
    return this.#n
  }

  /** Between lines that are whole; what is damaged behind the last one is not counted. */
  get damage(): readonly Damage[] {
    return this.#damage
  }

  /** What those rows take that are still there. */
  get weight(): number {
    return this.#weight
  }

  /** Goes on to the end of the file. Others may do the same with this index meanwhile. */
  async readTo(file: OpenFile, size: number): Promise<void> {
    let piece = PIECE
    let at = this.#end
    let bad: Damage[] = []
    while (at < size) {
      const end = this.#end
      const bytes = await readAt(file, at, Math.min(piece, size - at))
      if (this.#end !== end) {
        at = this.#end
        bad = []
        continue
      }
      const whole = bytes.lastIndexOf(NEWLINE) + 1
      if (whole === 0) {
        if (at + bytes.length >= size || bytes.length < piece) return
        piece *= 2
        continue
      }
      bad = this.#take(bytes.subarray(0, whole), at, bad)
      at += whole
    }
  }

  #take(bytes: Uint8Array, from: number, before: Damage[]): Damage[] {
    let bad = before
    for (let start = 0; start < bytes.length;) {
      const stop = bytes.indexOf(NEWLINE, start)
      const at = from + start
      const length = stop + 1 - start
      const content = fromLine(bytes.subarray(start, stop))
      // Of a line that is there twice, or out of place, the second one is not carried out.
      if (content && content.n > this.#n) {
        if (content.n > this.#n + 1 && bad.length === 0) bad.push({ at, length: 0 })
        this.#damage.push(...bad)
        bad = []
        this.apply(content, at, length)
      } else bad.push({ at, length })
      start = stop + 1
    }
    return bad
  }

  /** A line that stands at this place of the file. Behind it nothing is known. */
  apply(content: Header | Entry, at: number, length: number): void {
    this.#end = at + length
    this.#n = content.n
    if (isHeader(content)) {
      this.#header = content
      return
    }
    const { version, puts = [], deletes = [], deleteRanges = [] } = content
    for (const { table, ...range } of deleteRanges)
      for (const { key } of this.tables.inRange(table, range)) this.#weigh(this.tables.drop(table, key), -1)
    for (const { table, key } of deletes) this.#weigh(this.tables.drop(table, key), -1)
    const weights = puts.map(({ head, body, base64 }) => 100 + head.length + (body ?? base64 ?? '').length)
    const all = weights.reduce((sum, weight) => sum + weight, 0)
    for (const [number, { table, key, alias, rank }] of puts.entries()) {
      const spot: Spot = {
        key,
        version,
        at,
        length,
        number,
        weight: Math.ceil((length * (weights[number] as number)) / all),
        ...(alias ? { alias } : {}),
        ...(rank === undefined ? {} : { rank }),
      }
      this.#weigh(this.tables.store(table, spot), -1)
      this.#weigh(spot, 1)
    }
  }

  #weigh(spot: Spot | undefined, sign: 1 | -1): void {
    if (spot) this.#weight += sign * spot.weight
  }
}
