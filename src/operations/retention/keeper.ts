import type { Place, RetentionRules, StoreRetention } from '../host.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import { placeText, readThread, type Keeper, type Store } from '../store.ts'
import { Due } from './due.ts'
import { letGo } from './let-go.ts'

/** Milliseconds without a save before the next bite is taken … */
const QUIET = 10
/** … and how long such a moment is waited for. */
const PATIENCE = 250

/**
 * Retention: after enough saves a thread is looked at, and what its rules let go goes, a bite at a time, between
 * the saves. Never two bites at once; closing waits for the one under way.
 */
export class Retention implements Keeper {
  readonly #store: Store
  readonly #policy: StoreRetention | undefined
  readonly #due = new Due()
  readonly #waiting = new Map<string, Place>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAtWork = false
  #lastSave = 0

  constructor(store: Store, policy: StoreRetention | undefined) {
    this.#store = store
    this.#policy = policy
  }

  saved(thread: ThreadFacts): void {
    this.#lastSave = performance.now()
    const rules = this.#rulesOf(thread)
    if (!rules || !this.#due.saved(thread, rules)) return
    this.#waiting.set(placeText(thread), { thread: thread.thread, namespace: thread.namespace })
    this.#waitForQuiet()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  #rulesOf({ retention }: ThreadFacts): RetentionRules | undefined {
    const rules = retention ?? this.#policy
    return rules && letsGo(rules) ? rules : undefined
  }

  #waitForQuiet(since = performance.now()): void {
    if (this.#isAtWork || this.#timer !== undefined || this.#waiting.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const now = performance.now()
      if (now - this.#lastSave < QUIET && now - since < PATIENCE) return this.#waitForQuiet(since)
      this.#isAtWork = true
      this.#store.background(async () => {
        try {
          await this.#bite()
        } finally {
          this.#isAtWork = false
          this.#waitForQuiet()
        }
      })
    }, QUIET)
    // In Node a timer would keep the process alive.
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  async #bite(): Promise<void> {
    const [next] = this.#waiting
    if (!next) return
    const [name, place] = next
    this.#waiting.delete(name)
    const thread = await readThread(this.#store, place)
    const rules = thread && this.#rulesOf(thread.facts)
    if (!rules) return
    // Should it fail, it is not tried with every save.
    this.#due.looked(place, 0)
    const { left, kept } = await letGo(this.#store, { partition: thread.partition, place }, rules)
    this.#due.looked(place, kept)
    // At the end of the queue: others have waited too.
    if (left > 0) this.#waiting.set(name, place)
  }
}

const letsGo = ({ keepLast, olderThan, keepEvery }: RetentionRules): boolean =>
  keepLast !== undefined || olderThan !== undefined || keepEvery !== undefined
