/** A value that views are drawn from. It is replaced, never changed. */
export class Store<Value> {
  #value: Value
  readonly #listeners = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  get value(): Value {
    return this.#value
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  patch(part: Partial<Value>): void {
    this.set({ ...this.#value, ...part })
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
