/** Work of one name is done one after the other, in the order in which it was asked for; how it ends is told to who asked. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work)
    this.#last.set(name, turn)
    const done = (): void => {
      if (this.#last.get(name) === turn) this.#last.delete(name)
    }
    turn.then(done, done)
    return turn
  }

  isTaken(name: string): boolean {
    return this.#last.has(name)
  }

  /** Waits for what was asked for before. */
  async ended(name: string): Promise<void> {
    await this.#last.get(name)?.catch(() => {})
  }
}
