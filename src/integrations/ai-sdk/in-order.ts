/** A stream that is filled from outside. How it ends comes behind what was put in, also when that is an error. */
export class InOrder<Chunk> {
  readonly stream: ReadableStream<Chunk>
  #waiting: Chunk[] = []
  #end: ((controller: ReadableStreamDefaultController<Chunk>) => void) | undefined
  #wake: () => void = () => {}

  constructor(onCancel: () => void) {
    this.stream = new ReadableStream<Chunk>(
      {
        pull: async (controller) => {
          if (this.#waiting.length === 0 && !this.#end)
            await new Promise<void>((resolve) => (this.#wake = resolve))
          const [chunk] = this.#waiting.splice(0, 1)
          if (chunk !== undefined) controller.enqueue(chunk)
          else this.#end?.(controller)
        },
        cancel: () => {
          this.#end ??= () => {}
          this.#wake()
          onCancel()
        },
      },
      // What is in the stream's own queue is lost when it fails.
      { highWaterMark: 0 },
    )
  }

  put(chunk: Chunk): void {
    if (this.#end) return
    this.#waiting.push(chunk)
    this.#wake()
  }

  end(): void {
    this.#end ??= (controller) => controller.close()
    this.#wake()
  }

  fail(error: unknown): void {
    this.#end ??= (controller) => controller.error(error)
    this.#wake()
  }
}
