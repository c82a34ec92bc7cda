/** Makes durable what was written, and does nothing where nothing was. */
export class Flushes {
  readonly #flush: () => Promise<unknown>
  #isDue: boolean
  /** The latest try. Never rejects. */
  #latest: Promise<void> = Promise.resolve()

  constructor(flush: () => Promise<unknown>, isDue = false) {
    this.#flush = flush
    this.#isDue = isDue
  }

  /** Something was written that is not durable yet. */
  get isDue(): boolean {
    return this.#isDue
  }

  wrote(): void {
    this.#isDue = true
  }

  /** One after the other: while one is under way it is not known yet whether anything is left for the next. */
  flush(): Promise<void> {
    const flushing = this.#latest.then(async () => {
      if (!this.#isDue) return
      this.#isDue = false
      try {
        await this.#flush()
      } catch (error) {
        this.#isDue = true
        throw error
      }
    })
    this.#latest = flushing.catch(() => undefined)
    return flushing
  }
}
