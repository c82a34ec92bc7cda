/** Bytes from one who has them to one who loops over them, one piece at a time: nothing piles up in between. */
export class Handoff implements AsyncIterable<Uint8Array> {
  #piece: Uint8Array | undefined
  #isEnded = false
  #taken: () => void = () => {}
  #given: () => void = () => {}

  /** Resolves when the other end asks for more. */
  async put(piece: Uint8Array): Promise<void> {
    this.#piece = piece
    const taken = new Promise<void>((resolve) => (this.#taken = resolve))
    this.#given()
    await taken
  }

  end(): void {
    this.#isEnded = true
    this.#given()
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
