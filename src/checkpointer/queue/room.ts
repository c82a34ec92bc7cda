import type { PlaceQueue } from './place-queue.ts'

/** Beyond either, saves wait for room. */
const MOST_SAVES = 256
const MOST_BYTES = 4 * 1024 * 1024

/** Keeps a caller who saves faster than the store writes from filling the memory. */
export class Room {
  readonly #queues: () => readonly PlaceQueue[]
  #waiting: { readonly queue: PlaceQueue; readonly goOn: () => void }[] = []

  constructor(queues: () => readonly PlaceQueue[]) {
    this.#queues = queues
  }

  /** What cannot be written takes no room from places that can be written: it might be there for long. */
  isThere(queue: PlaceQueue): boolean {
    const queues = this.#queues().filter(({ failure }) => queue.failure || !failure)
    const count = queues.reduce((sum, each) => sum + each.count, 0)
    return count <= MOST_SAVES && queues.reduce((sum, each) => sum + each.bytes, 0) <= MOST_BYTES
  }

  /** Those that wait were taken already, so a failure does not hold them: it is the next call that is rejected. */
  async wait(queue: PlaceQueue): Promise<void> {
    if (this.#mayGoOn(queue)) return
    await new Promise<void>((goOn) => this.#waiting.push({ queue, goOn }))
  }

  /** Something was written, or could not be. */
  changed(): void {
    if (this.#waiting.length === 0) return
    const may = new Map(this.#waiting.map(({ queue }) => [queue, this.#mayGoOn(queue)]))
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ queue }) => !may.get(queue))
    for (const { queue, goOn } of waiting) if (may.get(queue)) goOn()
  }

  #mayGoOn(queue: PlaceQueue): boolean {
    return queue.failure !== undefined || this.isThere(queue)
  }
}
