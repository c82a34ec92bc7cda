import { bytesOf } from '../../storage/storage.ts'
import { everyRow, partitions } from '../survey/every-row.ts'
import type { Store } from '../store/store.ts'

/** What others have written is found when this share of the most was written here. */
const SHARE_UNSEEN = 0.5

/** As it was read, and what was put since: that may have replaced rows, so it is only the most it can be. */
interface Weight {
  readonly read: number
  readonly put: number
}

const NOTHING: Weight = { read: 0, put: 0 }

/** What each family weighs: read once, then kept up by what is written from here; others' writes are found later. */
export class Weights {
  readonly #store: Store
  readonly #most: number
  readonly #families = new Map<string, Weight>()
  #putSinceRead = 0
  #known = 0
  #atMost = 0
  #isRead = false

  constructor(store: Store, most: number) {
    this.#store = store
    this.#most = most
  }

  /** As each family was when it was last read. */
  get known(): number {
    return this.#known
  }

  /** With all that was put since, as if it had replaced nothing. */
  get atMost(): number {
    return this.#atMost
  }

  get isToBeRead(): boolean {
    return !this.#isRead || this.#putSinceRead > this.#most * SHARE_UNSEEN
  }

  put(partition: string, bytes: number): void {
    const { read, put } = this.#families.get(partition) ?? NOTHING
    this.#set(partition, { read, put: put + bytes })
    this.#putSinceRead += bytes
  }

  /** Reads everything; a pause may be made after each family. */
  async *readAll(): AsyncGenerator<void> {
    const before = this.#putSinceRead
    const gone = new Set(this.#families.keys())
    for await (const partition of partitions(this.#store)) {
      gone.delete(partition)
      await this.read(partition)
      yield
    }
    for (const partition of gone) this.#set(partition, NOTHING)
    // Not before all of it is through: what fails is to be read again.
    this.#isRead = true
    this.#putSinceRead -= before
  }

  /** Reads again what was written to since. */
  async *readChanged(): AsyncGenerator<void> {
    for (const [partition, { put }] of Array.from(this.#families)) {
      if (put === 0) continue
      await this.read(partition)
      yield
    }
  }

  freed(partition: string, bytes: number): void {
    const { read, put } = this.#families.get(partition) ?? NOTHING
    this.#set(partition, { read: Math.max(0, read - bytes), put })
  }

  async read(partition: string): Promise<void> {
    const before = this.#families.get(partition)?.put ?? 0
    let read = 0
    for await (const { row } of everyRow(this.#store, partition)) read += bytesOf(row)
    // What is put while it is read counts twice, rather than not at all.
    this.#set(partition, { read, put: Math.max(0, (this.#families.get(partition)?.put ?? 0) - before) })
  }

  #set(partition: string, weight: Weight): void {
    const before = this.#families.get(partition) ?? NOTHING
    this.#known += weight.read - before.read
    this.#atMost += weight.read + weight.put - before.read - before.put
    if (weight.read + weight.put > 0) this.#families.set(partition, weight)
    else this.#families.delete(partition)
  }
}
