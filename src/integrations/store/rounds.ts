import { copyOf, isSame } from '../shared/copy.ts'
import type { Content } from './form.ts'

/** What is set so soon behind a read of what another has set is what a store has made of it. */
const SOON = 1_000
/** Rounds come one upon the other; what is answered now and then is no round. */
const APART = 5_000
const MOST = 10

/**
 * Two tabs of different versions may each make something else of an item when they read the other's, and set that: they would
 * do so for ever. Counts how often in succession the same was set in answer to another's.
 */
export class Rounds {
  readonly #apart: number
  #isHeard = false
  #readAt = Number.NEGATIVE_INFINITY
  #last: { readonly content: Content; readonly at: number } | undefined
  #count = 0

  /** `every`: milliseconds between two writes. */
  constructor(every: number) {
    this.#apart = APART + 2 * every
  }

  /** Another has set it. */
  heard(): void {
    this.#isHeard = true
  }

  read(): void {
    if (this.#isHeard) this.#readAt = performance.now()
    this.#isHeard = false
  }

  /** To be asked once for each value that is set. `last`: it has just become too many. */
  set(content: Content): 'few' | 'last' | 'too many' {
    const now = performance.now()
    const isAnswer = now - this.#readAt < SOON
    this.#readAt = Number.NEGATIVE_INFINITY
    const last = this.#last
    this.#last = isAnswer ? { content, at: now } : undefined
    const isAgain = isAnswer && last && now - last.at < this.#apart && says(last.content, content)
    this.#count = isAgain ? this.#count + 1 : 0
    if (this.#count < MOST) return 'few'
    return this.#count === MOST ? 'last' : 'too many'
  }
}

function says(before: Content, now: Content): boolean {
  if ('text' in now) return 'text' in before && before.text === now.text
  return 'value' in now && 'value' in before && isSame(before.value, copyOf(before.value, now.value))
}
