import type { UIMessageChunk } from 'ai'

/** So long, in milliseconds, a stream is silent before what it has not told of is taken to be never told of. */
const SILENCE = 2_000

/** What is known of a call that is about to be begun; `'within'`: nothing, but another one is under way. */
export type Telling = 'told' | 'within' | 'never' | 'ended'

/** Which calls are in the log of an answer, or in a message that is stored. */
export class Told {
  readonly #calls = new Set<string>()
  /** Those without a result. */
  readonly #open = new Set<string>()
  readonly #waiting = new Set<() => void>()
  #heardAt = Number.NEGATIVE_INFINITY
  #hasEnded = false

  add(toolCallId: string): void {
    this.#calls.add(toolCallId)
    this.#wake()
  }

  /** What comes of the stream. */
  hear(chunk: UIMessageChunk): void {
    this.#heardAt = performance.now()
    if (chunk.type === 'tool-input-available') {
      this.#open.add(chunk.toolCallId)
      this.add(chunk.toolCallId)
    } else if (chunk.type === 'tool-output-available' && chunk.preliminary === true) return
    else if (chunk.type.startsWith('tool-output-') && 'toolCallId' in chunk)
      this.#open.delete(chunk.toolCallId)
  }

  /** Nothing more will be told. */
  end(): void {
    this.#hasEnded = true
    this.#wake()
  }

  /** Waits until a call is told of, or will not be. */
  async of(toolCallId: string): Promise<Telling> {
    const asked = performance.now()
    for (;;) {
      if (this.#calls.has(toolCallId)) return 'told'
      if (this.#hasEnded) return 'ended'
      const silent = performance.now() - Math.max(asked, this.#heardAt)
      if (silent >= SILENCE) return this.#open.size > 0 ? 'within' : 'never'
      await this.#news(SILENCE - silent)
    }
  }

  #news(most: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, most)
      this.#waiting.add(wake)
    })
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}
