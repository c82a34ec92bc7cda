/** Bytes from one who has them to one who loops over them, one piece at a time: nothing piles up in between. */
export class Handoff implements AsyncIterable<Uint8Array> {
  #piece: Uint8Array | undefined
  #isEnded = false
  #isLeft = false
  #taken: () => void = () => {}
  #given: () => void = () => {}

  /** Nobody asks for more. */
  get isLeft(): boolean {
    return this.#isLeft
  }

  /** Resolves when the other end asks for more, or has left. */
  async put(piece: Uint8Array): Promise<void> {
    if (this.#isLeft) return
    this.#piece = piece
    const taken = new Promise<void>((resolve) => (this.#taken = resolve))
    this.#given()
    await taken
  }

  end(): void {
    this.#isEnded = true
    this.#given()
  }

  leave(): void {
    this.#isLeft = true
    this.#taken()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#piece
      if (piece) {
        yield piece
        this.#piece = undefined
        this.#taken()
      } else if (this.#isEnded) return
      else await new Promise<void>((resolve) => (this.#given = resolve))
    }
  }
}
