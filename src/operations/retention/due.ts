import type { Place, RetentionRules } from '../host.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import { placeText } from '../store/thread-cache.ts'

/** Of so many threads it is remembered; any other is simply looked at again. */
const MOST_THREADS = 4096
/** A look reads all that a thread shows, so it is worth it only every so many saves. */
const LEAST_SAVES = 10
const SHARE = 0.25

/** When it is time to look at a thread: once enough was saved to it since the last look. */
export class Due {
  readonly #savesLeft = new Map<string, number>()

  /** Counts saves. Whether it is time. */
  saved(thread: ThreadFacts, rules: RetentionRules, count: number): boolean {
    const name = placeText(thread)
    const before = this.#savesLeft.get(name)
    const left = before === undefined ? savesLeftAtFirst(thread, rules) : before - count
    this.#set(name, left)
    return left <= 0
  }

  /** After a look, which has found so many that stay. */
  looked(place: Place, kept: number): void {
    this.#set(placeText(place), spareFor(kept))
  }

  #set(name: string, left: number): void {
    this.#savesLeft.delete(name)
    this.#savesLeft.set(name, left)
    if (this.#savesLeft.size > MOST_THREADS)
      this.#savesLeft.delete(this.#savesLeft.keys().next().value as string)
  }
}

const spareFor = (kept: number): number => Math.max(LEAST_SAVES, Math.ceil(kept * SHARE))

/** Before anything was read: there cannot be more checkpoints than seqs. */
const savesLeftAtFirst = ({ next }: ThreadFacts, { keepLast = 0 }: RetentionRules): number =>
  keepLast + spareFor(keepLast) - (next - 1)
