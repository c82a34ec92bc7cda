import type { CheckpointerEvent, CheckpointInfo } from '../../index.ts'
import { threadAt, type Desk, type Place } from '../desk.ts'

/** So many are read between two showings. */
const STRETCH = 1_000

/** The checkpoints of one place as they stand, newest first, kept true by reading again only what has changed. */
export class History {
  readonly place: Place
  readonly #desk: Desk
  readonly #signal: AbortSignal
  readonly #onChange: () => void
  #items: readonly CheckpointInfo[] = []
  #isRead = false
  #isWhole = false

  constructor(desk: Desk, place: Place, signal: AbortSignal, onChange: () => void) {
    this.#desk = desk
    this.place = place
    this.#signal = signal
    this.#onChange = onChange
  }

  get items(): readonly CheckpointInfo[] {
    return this.#items
  }

  /** Whether all of it was read; else there is more to come. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  get head(): CheckpointInfo | undefined {
    return this.#items[0]
  }

  find(which: number | string | undefined): CheckpointInfo | undefined {
    return this.#items.find(({ seq, id }) => seq === which || id === which)
  }

  /** Whether it concerns this place. */
  hear(event: CheckpointerEvent): boolean {
    const { thread, namespace } = this.place
    if (event.type !== 'destroyed' && event.thread !== thread) return false
    if (event.type === 'destroyed' || event.type === 'deleted') {
      this.#items = []
      this.#isRead = false
      return true
    }
    if (event.namespace !== namespace) return false
    if (event.type === 'pruned') {
      const gone = new Set(event.seqs)
      this.#items = this.#items.filter(({ seq }) => !gone.has(seq))
    }
    return event.type !== 'run' && event.type !== 'writes'
  }

  async refresh(): Promise<void> {
    const [head] = this.#items
    try {
      if (this.#isRead && head) await this.#readNewer(head.seq)
      else await this.#readAll()
    } catch (error) {
      this.#isRead = false
      throw error
    }
    this.#onChange()
  }

  async #readNewer(after: number): Promise<void> {
    const newer: CheckpointInfo[] = []
    for await (const info of threadAt(this.#desk, this.place).history({ after, signal: this.#signal }))
      newer.push(info)
    if (newer.length > 0) this.#items = [...newer, ...this.#items]
  }

  async #readAll(): Promise<void> {
    const items: CheckpointInfo[] = []
    this.#isRead = true
    for await (const info of threadAt(this.#desk, this.place).history({ signal: this.#signal })) {
      items.push(info)
      if (items.length !== 100 && items.length % STRETCH > 0) continue
      this.#items = [...items]
      this.#onChange()
    }
    this.#items = items
    this.#isWhole = true
  }
}
