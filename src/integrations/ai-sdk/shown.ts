import type { UIMessage, UIMessageChunk } from 'ai'
import { stepsIn } from './chat.ts'
import { InOrder } from './in-order.ts'
import { takenApart } from './take-apart.ts'

/** What a chat is shown of an answer, as the stream that its transport gives it. */
export class Shown {
  readonly #chunks: InOrder<UIMessageChunk>
  #hasStarted = false
  /** How many steps are shown to their end. */
  #steps = 0
  /** What is shown in part: a step, or an answer that is not told in steps. */
  #open: 'step' | 'answer' | undefined
  /** It is added to what the message had before. */
  #isAdded = false
  /** The step is begun anew where it stands: that it starts was said. */
  #isAnew = false

  /** `onLeft`: nobody reads any more. */
  constructor(onLeft: () => void) {
    this.#chunks = new InOrder(onLeft)
  }

  get stream(): ReadableStream<UIMessageChunk> {
    return this.#chunks.stream
  }

  /** The chat has the message already, with so many steps, of which so many are stored. */
  assume(steps: number, stored: number): void {
    this.#steps = Math.min(steps, stored)
    this.#open = steps > stored ? 'step' : undefined
    this.#hasStarted = true
    this.#isAdded = true
  }

  pass(chunk: UIMessageChunk): void {
    const { type } = chunk
    if (type === 'start') this.#hasStarted = true
    else if (type === 'start-step') {
      this.#open = 'step'
      const wasSaid = this.#isAnew
      this.#isAnew = false
      if (wasSaid) return
    } else if (type === 'finish-step') {
      this.#open = undefined
      this.#steps++
    } else if (this.#steps === 0 && !this.#isAdded) this.#open ??= 'answer'
    this.#chunks.put(chunk)
  }

  /** What is shown of the step that is under way will not be what it comes to. */
  takeBack(): void {
    if (!this.#open) return
    this.#chunks.put({ type: 'reset-step' })
    this.#isAnew = this.#open === 'step'
    this.#open = undefined
  }

  /** Shows what is stored of the message, as far as it was not shown yet. */
  show(message: UIMessage): void {
    const { id: messageId, metadata: messageMetadata } = message
    const isFirst = !this.#hasStarted
    if (isFirst)
      this.pass({ type: 'start', messageId, ...(messageMetadata === undefined ? {} : { messageMetadata }) })
    else if (stepsIn(message) <= this.#steps) return
    else this.takeBack()
    for (const chunk of takenApart(message, this.#steps)) this.pass(chunk)
  }

  end(): void {
    this.#chunks.end()
  }

  fail(error: unknown): void {
    this.#chunks.fail(error)
  }
}
