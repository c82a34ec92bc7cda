/** So many that were used last know what they have read. */
const MOST_KNOWN = 32

/** By name, all that were used, as news may come of each; those that were not used for long forget what can be read again. */
export class InUse<Each extends { forget(): void }> {
  /** The one that was used last comes last. */
  readonly #latest = new Map<string, Each>()
  readonly #others = new Map<string, Each>()

  use(name: string, make: () => Each): Each {
    const each = this.get(name) ?? make()
    this.delete(name)
    this.#latest.set(name, each)
    const [oldest] = this.#latest
    if (oldest && this.#latest.size > MOST_KNOWN) {
      const [old, other] = oldest
      this.#latest.delete(old)
      this.#others.set(old, other)
      other.forget()
    }
    return each
  }

  get(name: string): Each | undefined {
    return this.#latest.get(name) ?? this.#others.get(name)
  }

  delete(name: string): void {
    this.#latest.delete(name)
    this.#others.delete(name)
  }

  names(): readonly string[] {
    return [...this.#others.keys(), ...this.#latest.keys()]
  }

  all(): readonly Each[] {
    return [...this.#others.values(), ...this.#latest.values()]
  }
}
