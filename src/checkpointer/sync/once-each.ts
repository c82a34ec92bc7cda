/** Each of these threads is seen to once, whoever comes to it first: one that waits for another, or whose turn it is. */
export class OnceEach {
  readonly #left: Set<string>
  readonly #see: (thread: string) => Promise<void>
  readonly #under = new Map<string, Promise<void>>()
  readonly #waits = new Map<string, string>()

  constructor(threads: readonly string[], see: (thread: string) => Promise<void>) {
    this.#left = new Set(threads)
    this.#see = see
  }

  done(thread: string): Promise<void> {
    if (this.#left.delete(thread)) {
      const seeing = this.#see(thread).finally(() => this.#under.delete(thread))
      this.#under.set(thread, seeing)
    }
    return this.#under.get(thread) ?? Promise.resolve()
  }

  /** Before a thread goes on. A store may say what it likes: who waited for each other in a ring would wait for ever. */
  async doneFirst(other: string, thread: string): Promise<void> {
    for (let at: string | undefined = other; at !== undefined; at = this.#waits.get(at))
      if (at === thread) return
    this.#waits.set(thread, other)
    await this.done(other)
    this.#waits.delete(thread)
  }
}
