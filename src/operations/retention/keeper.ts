import { unref } from '../../platform/unref.ts'
import type { Place, RetentionRules, StoreRetention } from '../host.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import type { Keeper, Store } from '../store/store.ts'
import { placeText } from '../store/thread-cache.ts'
import { readThread } from '../store/threads.ts'
import { Ageing } from './ageing.ts'
import { Ceiling } from './ceiling.ts'
import { Due } from './due.ts'
import { letGo } from './let-go.ts'
import { makeRoom } from './room.ts'

/** Milliseconds without a save before the next bite is taken … */
const QUIET = 10
/** … and how long such a moment is waited for when one thread is due; the more are, the less: else all would be late. */
const PATIENCE = 250

/** Does a part of something; whether there is more. */
type Task = () => Promise<boolean>

/** No thread's names: they have no colon. */
const CEILING = 'ceiling'
const AGEING = 'ageing'

/**
 * Retention: after enough saves a thread is looked at, and what its rules let go goes, a bite at a time, between
 * the saves; those that nobody saves to have their turn as time passes. Never two bites at once; closing waits for the
 * one under way.
 */
export class Retention implements Keeper {
  readonly #store: Store
  /** Of every thread that has no rules of its own. */
  readonly #rules: RetentionRules | undefined
  readonly #due = new Due()
  readonly #ageing: Ageing
  readonly #ceiling: Ceiling | undefined
  readonly #waiting = new Map<string, Task>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAtWork = false
  #lastSave = 0
  #makingRoom: Promise<boolean> | undefined

  constructor(store: Store, policy: StoreRetention | undefined) {
    this.#store = store
    const { maxBytes, ...rules } = policy ?? { keepLabelled: true }
    this.#rules = policy && rules
    if (maxBytes !== undefined) this.#ceiling = new Ceiling(store, maxBytes)
    this.#ageing = new Ageing(
      store,
      (thread) => this.#rulesOf(thread),
      (steps) => this.#inSteps(AGEING, steps),
    )
    this.#ageing.heardOf(rules.olderThan)
  }

  saved(thread: ThreadFacts, count: number): void {
    this.#lastSave = performance.now()
    const rules = this.#rulesOf(thread)
    this.#ageing.heardOf(rules?.olderThan)
    const place = { thread: thread.thread, namespace: thread.namespace }
    if (rules && this.#due.saved(thread, rules, count)) this.#wait(placeText(place), () => this.#look(place))
    if (this.#ceiling?.isDue && !this.#waiting.has(CEILING)) this.#inSteps(CEILING, this.#ceiling.makeRoom())
  }

  put(partition: string, bytes: number): void {
    this.#ceiling?.put(partition, bytes)
  }

  /** For one at a time. Who has waited looks in its own thread alone: the others were looked at just now. */
  async makeRoom(place: Place): Promise<boolean> {
    let hasWaited = false
    let isFreed = false
    while (this.#makingRoom) {
      hasWaited = true
      isFreed = (await this.#makingRoom) || isFreed
    }
    const rulesOf = (thread: ThreadFacts): RetentionRules | undefined => this.#rulesOf(thread)
    const alsoOthers = this.#rules !== undefined && !hasWaited
    this.#makingRoom = makeRoom(this.#store, place, rulesOf, alsoOthers).finally(() => {
      this.#makingRoom = undefined
    })
    return (await this.#makingRoom) || isFreed
  }

  /** No bite after this one. Once more when that has come to its end: it may have something to tell. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#ageing.stop()
    this.#waiting.clear()
    this.#ceiling?.tell()
  }

  #rulesOf({ retention }: ThreadFacts): RetentionRules | undefined {
    const rules = retention ?? this.#rules
    return rules && letsGo(rules) ? rules : undefined
  }

  #inSteps(name: string, steps: AsyncGenerator<void>): void {
    this.#wait(name, async () => !(await steps.next()).done)
  }

  #wait(name: string, task: Task): void {
    this.#waiting.set(name, task)
    this.#waitForQuiet()
  }

  #waitForQuiet(since = performance.now()): void {
    if (this.#isAtWork || this.#timer !== undefined || this.#waiting.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const now = performance.now()
      if (now - this.#lastSave < QUIET && now - since < PATIENCE / this.#waiting.size)
        return this.#waitForQuiet(since)
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
    unref(this.#timer)
  }

  async #bite(): Promise<void> {
    if (this.#store.claim.isReadOnly) return this.#waiting.clear()
    const [next] = this.#waiting
    if (!next) return
    const [name, task] = next
    let isMore = false
    try {
      isMore = await task()
    } finally {
      // At the end of the queue: others have waited too. Another look may have become due meanwhile.
      const latest = this.#waiting.get(name)
      this.#waiting.delete(name)
      if (latest && (isMore || latest !== task)) this.#waiting.set(name, latest)
    }
  }

  async #look(place: Place): Promise<boolean> {
    const thread = await readThread(this.#store, place)
    const rules = thread && this.#rulesOf(thread.facts)
    if (!rules) return false
    // Should it fail, it is not tried with every save.
    this.#due.looked(place, 0)
    const at = { partition: thread.partition, place }
    const { left, kept } = await letGo(this.#store, at, rules, { beside: place })
    this.#due.looked(place, kept)
    return left > 0
  }
}

const letsGo = ({ keepLast, olderThan, keepEvery }: RetentionRules): boolean =>
  keepLast !== undefined || olderThan !== undefined || keepEvery !== undefined
