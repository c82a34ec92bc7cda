import type { UIMessageChunk } from 'ai'

/** What a transport tells of as a chunk. */
export class ToldError extends Error {}

/** The chunks that a transport gives, a step at a time. */
export class Response {
  readonly #reader: ReadableStreamDefaultReader<UIMessageChunk>
  #next: UIMessageChunk | undefined

  /** Ends where it is when the signal is aborted. */
  constructor(stream: ReadableStream<UIMessageChunk>, signal: AbortSignal) {
    const reader = stream.getReader()
    this.#reader = reader
    // A read that is under way ends by it. What the transport says to that is no news.
    const cancel = (): void => void reader.cancel(signal.reason).catch(() => {})
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  }

  /** The next chunk, which will be read yet; `undefined` at the end. */
  async peek(): Promise<UIMessageChunk | undefined> {
    this.#next ??= (await this.#reader.read()).value
    return this.#next
  }

  async read(): Promise<UIMessageChunk | undefined> {
    const chunk = await this.peek()
    this.#next = undefined
    return chunk
  }

  /** Passes over so many whole steps. */
  async skip(steps: number): Promise<void> {
    for (let left = steps; left > 0;) {
      const chunk = await this.read()
      if (chunk === undefined) return
      if (chunk.type === 'finish-step') left--
    }
  }

  /** Up to the end of a step, or of the answer. */
  async *step(): AsyncGenerator<UIMessageChunk, void, undefined> {
    for (;;) {
      const chunk = await this.read()
      if (chunk === undefined) return
      yield chunk
      if (chunk.type === 'finish-step') return
      // In the journal it is then the stream that has failed, which can be tried again.
      if (chunk.type === 'error') throw new ToldError(chunk.errorText)
    }
  }
}
