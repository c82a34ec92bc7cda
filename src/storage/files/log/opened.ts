import { CheckpointerError } from '../../../errors.ts'
import { ifThere, readAt, type FileSystem, type OpenFile } from '../file-system.ts'
import { LogIndex, MARK } from './log-index.ts'
import { FORMAT } from './line.ts'
import { OpenLog } from './log.ts'

/** So many rows are kept in mind, by their places. Of more, the logs used last. */
const MOST_ROWS = 300_000

const decoder = new TextDecoder('latin1')

/** Opens logs, and remembers what was in them: of one that has only grown, what is new is read. */
export class Opened {
  readonly #fs: FileSystem
  /** The one used last is the last one. */
  readonly #indexes = new Map<string, LogIndex>()

  constructor(fs: FileSystem) {
    this.#fs = fs
  }

  /** Nothing when there is no such file. `partition` is what it should be of. */
  async open(path: string, partition?: string): Promise<OpenLog | undefined> {
    const file = await ifThere(this.#fs.open(path, 'r'))
    if (!file) {
      this.#indexes.delete(path)
      return undefined
    }
    try {
      return await this.#read(file, path, partition)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async #read(file: OpenFile, path: string, partition: string | undefined): Promise<OpenLog> {
    const { size } = await file.stat()
    const mark = decoder.decode(await readAt(file, 0, Math.min(MARK, size)))
    const known = this.#indexes.get(path)
    const index = known?.mark === mark && known.end <= size ? known : new LogIndex(mark)
    await index.readTo(file, size)
    const { header } = index
    if (header && header.format > FORMAT) throw tooNew(path, header.format)
    if (header && partition !== undefined && header.partition !== partition)
      throw ofAnother(path, header.partition)
    this.#remember(path, index)
    return new OpenLog(file, path, size, index, index !== known)
  }

  forget(path: string): void {
    this.#indexes.delete(path)
  }

  #remember(path: string, index: LogIndex): void {
    this.#indexes.delete(path)
    this.#indexes.set(path, index)
    if (this.#indexes.size === 1) return
    let rows = 0
    for (const each of this.#indexes.values()) rows += each.tables.size
    for (const [oldest, { tables }] of this.#indexes) {
      if (rows <= MOST_ROWS || oldest === path) return
      rows -= tables.size
      this.#indexes.delete(oldest)
    }
  }
}

const tooNew = (path: string, format: number): CheckpointerError =>
  new CheckpointerError(
    'FORMAT_TOO_NEW',
    `${path} has format ${format}, this version of the package knows ${FORMAT}. Update the package.`,
  )

const ofAnother = (path: string, partition: string): CheckpointerError =>
  new CheckpointerError(
    'CORRUPT',
    `${path} is the log of "${partition}": it was copied or renamed. Give it the name that it had.`,
  )
