import type { Row } from '../../storage.ts'
import { readAt, type OpenFile } from '../file-system.ts'
import type { LogIndex, Spot } from './log-index.ts'
import type { Entry } from './line.ts'
import { readLines, readRows } from './rows.ts'

/** A log that is open, with what is in it. It stays the same file, also when another has taken its place. */
export class OpenLog {
  readonly index: LogIndex
  readonly path: string
  /** Bytes of the file. */
  readonly size: number
  /** It was not known before. */
  readonly isNew: boolean
  readonly #file: OpenFile

  constructor(file: OpenFile, path: string, size: number, index: LogIndex, isNew: boolean) {
    this.#file = file
    this.path = path
    this.size = size
    this.index = index
    this.isNew = isNew
  }

  /** Behind its last line that is whole, there is more: a line that is being written, or was never finished. */
  get hasTail(): boolean {
    return this.size > this.index.end
  }

  get isDamaged(): boolean {
    return this.index.damage.length > 0
  }

  rows(spots: readonly Spot[]): Promise<Row[]> {
    return readRows(this.#file, spots, this.path)
  }

  lines(spots: readonly Spot[]): Promise<Map<number, Entry>> {
    return readLines(this.#file, spots, this.path)
  }

  bytes(at: number, length: number): Promise<Uint8Array> {
    return readAt(this.#file, at, length)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
