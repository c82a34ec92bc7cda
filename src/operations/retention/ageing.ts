import { isTaken } from '../../errors.ts'
import { unref } from '../../platform/unref.ts'
import { readFamily } from '../store/family.ts'
import type { RetentionRules } from '../host.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { letGo } from './let-go.ts'
import { oldestFirst, type ListedThread } from './oldest.ts'

/** All in milliseconds. After the opening the app has other things to do first. */
const FIRST = 1_000
/** Between two walks over the threads: this share of the shortest age, within these bounds. */
const SHARE = 1 / 20
const BOUNDS = { least: 1_000, most: 60 * 60_000 }
/** A thread that was saved to so lately is looked at after its saves. */
const BUSY = 60_000
/** Of so many threads it is remembered when they are to be looked at next; any other is looked at in each walk. */
const MOST_THREADS = 4096

type RulesOf = (thread: ThreadFacts) => RetentionRules | undefined
type Steps = AsyncGenerator<void>

/**
 * Lets go of what has become too old in threads that nobody saves to, which no save would ever have looked at. Walks
 * over the threads, oldest first, one look a step; and reads a thread again only when something of it is due.
 */
export class Ageing {
  readonly #store: Store
  readonly #rulesOf: RulesOf
  readonly #walk: (steps: Steps) => void
  readonly #next = new Map<string, { readonly updatedAt: number; readonly at: number }>()
  #shortest = Number.POSITIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `walk` is given the steps of each walk, to take them when nobody is held up. */
  constructor(store: Store, rulesOf: RulesOf, walk: (steps: Steps) => void) {
    this.#store = store
    this.#rulesOf = rulesOf
    this.#walk = walk
  }

  /** Somebody's rules name this age. Nothing is done before one does. */
  heardOf(olderThan = Number.POSITIVE_INFINITY): void {
    if (olderThan >= this.#shortest) return
    this.#shortest = olderThan
    this.#begin(FIRST)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #begin(after: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#walk(this.#steps()), after)
    unref(this.#timer)
  }

  async *#steps(): Steps {
    const { least, most } = BOUNDS
    let failure: { readonly error: unknown } | undefined
    try {
      const threads = await oldestFirst(this.#store, Date.now() - Math.min(BUSY, this.#shortest))
      yield
      for (const thread of threads) {
        if (!this.#isDue(thread)) continue
        try {
          yield* this.#look(thread)
        } catch (error) {
          if (isTaken(error)) throw error
          // What is wrong with one keeps no other from its turn.
          failure ??= { error }
        }
      }
    } finally {
      this.#begin(Math.min(most, Math.max(least, this.#shortest * SHARE)))
    }
    if (failure) throw failure.error
  }

  #isDue({ facts }: ListedThread): boolean {
    const known = this.#next.get(facts.thread)
    if (known?.updatedAt === facts.updatedAt) return known.at <= Date.now()
    // Namespaces may have rules of their own.
    const rules = this.#rulesOf(facts)
    return facts.others === true || (rules?.olderThan !== undefined && facts.next > 2)
  }

  async *#look({ partition, facts: { thread, updatedAt } }: ListedThread): Steps {
    // Should it fail, it is not tried in every walk.
    this.#set(thread, { updatedAt, at: Date.now() + BOUNDS.most })
    const { threads } = await readFamily(this.#store, partition)
    let at = Number.POSITIVE_INFINITY
    for (const { facts } of threads) {
      const rules = facts.thread === thread ? this.#rulesOf(facts) : undefined
      if (rules?.olderThan === undefined) continue
      const place = { thread, namespace: facts.namespace }
      for (let left = 1; left > 0;) {
        const reply = await letGo(this.#store, { partition, place }, rules, { isIdle: true, beside: place })
        left = reply.left
        if (left === 0) at = Math.min(at, reply.nextAt)
        yield
      }
    }
    this.#set(thread, { updatedAt, at })
  }

  #set(thread: string, next: { readonly updatedAt: number; readonly at: number }): void {
    this.#next.delete(thread)
    this.#next.set(thread, next)
    if (this.#next.size > MOST_THREADS) this.#next.delete(this.#next.keys().next().value as string)
  }
}
