import { unref } from '../../platform/unref.ts'

/** How long is waited before another try, in milliseconds: doubled each time, up to the most. */
const FIRST = 100
const LONGEST = 30_000

/** Tries again by itself, less and less often. */
export class Pauses {
  readonly #work: () => void
  #tried = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(work: () => void) {
    this.#work = work
  }

  begin(): void {
    this.stop()
    this.#timer = setTimeout(this.#work, Math.min(FIRST * 2 ** this.#tried++, LONGEST))
    unref(this.#timer)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** It went well: the next failure is a first one again. */
  reset(): void {
    this.stop()
    this.#tried = 0
  }
}
