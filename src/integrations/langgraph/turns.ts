import { nameOf, type Place } from './places.ts'

/** The puts of each place, one after the other, in the order in which they were called. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const name = nameOf(place)
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work)
    this.#last.set(name, turn)
    const done = (): void => {
      if (this.#last.get(name) === turn) this.#last.delete(name)
    }
    turn.then(done, done)
    return turn
  }

  isTaken(place: Place): boolean {
    return this.#last.has(nameOf(place))
  }

  /** Waits for the puts that were called before; how they end is told to their own callers. */
  async ended(place: Place): Promise<void> {
    await this.#last.get(nameOf(place))?.catch(() => {})
  }
}
