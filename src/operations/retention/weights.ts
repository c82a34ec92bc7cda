import { bytesOf } from '../../storage/storage.ts'
import { everyRow, partitions } from '../survey/every-row.ts'
import type { Store } from '../store.ts'

/** What others have written is found when this share of the most was written here. */
const SHARE_UNSEEN = 0.5

/** What each family weighs: read once, then kept up by what is written from here; others' writes are found later. */
export class Weights {
  readonly #store: Store
  readonly #most: number
  /** As they were read, and what was put since: that may have replaced rows, so it is only the most it can be. */
  readonly #families = new Map<string, { read: number; put: number }>()
  #putSinceRead = 0
  #isRead = false

  constructor(store: Store, most: number) {
    this.#store = store
    this.#most = most
  }

  /** Never less than is known of; nothing before anything was read. */
  get total(): number {
    let total = 0
    for (const { read, put } of this.#families.values()) total += read + put
    return total
  }

  get isToBeRead(): boolean {
    return !this.#isRead || this.#putSinceRead > this.#most * SHARE_UNSEEN
  }

  put(partition: string, bytes: number): void {
    const known = this.#families.get(partition)
    if (known) known.put += bytes
    else this.#families.set(partition, { read: 0, put: bytes })
    this.#putSinceRead += bytes
  }

  /** Reads everything; a pause may be made after each family. */
  async *readAll(): AsyncGenerator<void> {
    this.#isRead = true
    this.#putSinceRead = 0
    const gone = new Set(this.#families.keys())
    for await (const partition of partitions(this.#store)) {
      gone.delete(partition)
      await this.read(partition)
      yield
    }
    for (const partition of gone) this.#families.delete(partition)
  }

  /** Reads again what was written to since. */
  async *readChanged(): AsyncGenerator<void> {
    for (const [partition, { put }] of this.#families) {
      if (put === 0) continue
      await this.read(partition)
      yield
    }
  }

  freed(partition: string, bytes: number): void {
    const known = this.#families.get(partition)
    if (known) known.read = Math.max(0, known.read - bytes)
  }

  async read(partition: string): Promise<void> {
    const weight = { read: 0, put: 0 }
    // What is put while it is read counts twice, rather than not at all.
    this.#families.set(partition, weight)
    let read = 0
    for await (const { row } of everyRow(this.#store, partition)) read += bytesOf(row)
    weight.read = read
    if (read === 0 && weight.put === 0) this.#families.delete(partition)
  }
}
