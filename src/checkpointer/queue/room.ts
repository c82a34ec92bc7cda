import type { PlaceQueue } from './place-queue.ts'

/** Beyond either, saves wait for room. */
const MOST_SAVES = 256
const MOST_BYTES = 4 * 1024 * 1024

/** Keeps a caller who saves faster than the store writes from filling the memory. */
export class Room {
  readonly #queues: () => readonly PlaceQueue[]
  #waiting: (() => void)[] = []

  constructor(queues: () => readonly PlaceQueue[]) {
    this.#queues = queues
  }

  isThere(): boolean {
    const queues = this.#queues()
    const count = queues.reduce((sum, queue) => sum + queue.count, 0)
    return count <= MOST_SAVES && queues.reduce((sum, queue) => sum + queue.bytes, 0) <= MOST_BYTES
  }

  /** Those that wait were taken already, so a failure does not hold them: it is the next call that is rejected. */
  async wait(): Promise<void> {
    if (this.isThere() || this.#isFailing()) return
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Something was written, or could not be. */
  changed(): void {
    if (this.#waiting.length === 0 || !(this.isThere() || this.#isFailing())) return
    for (const goOn of this.#waiting.splice(0)) goOn()
  }

  #isFailing(): boolean {
    return this.#queues().some(({ failure }) => failure)
  }
}
