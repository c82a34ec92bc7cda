/** So many are remembered, which is more than news and replies are ever behind. */
const MOST = 64

/** Which checkpoints were made here, of the latest ones. */
export class OwnCheckpoints {
  readonly #ids = new Set<string>()

  add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (oldest !== undefined && this.#ids.size > MOST) this.#ids.delete(oldest)
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Gives whether it was one of them. */
  delete(id: string): boolean {
    return this.#ids.delete(id)
  }
}
