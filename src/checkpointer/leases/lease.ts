/// <reference lib="esnext.disposable" preserve="true" />
import { CheckpointerError } from '../../errors.ts'
import type { Fenced } from '../../operations/host.ts'
import type { Claim } from '../../tabs/claims.ts'
import { invalid } from '../options/options.ts'

/** How a lease is waited for. */
export interface LeaseOptions {
  /** Take it over at once, whoever has it: a frozen tab, say. */
  readonly steal?: boolean | undefined
  /** Stops the waiting. */
  readonly signal?: AbortSignal | undefined
  /**
   * How long to wait for it, in milliseconds; `false`: not at all. Then `BLOCKED`. Until it is free when absent; when
   * it is stolen, ten seconds.
   */
  readonly wait?: boolean | number | undefined
}

/** The turn of one runner on a thread. What its handle writes is refused as soon as another one has taken over. */
export interface Lease {
  /** The thread's id. */
  readonly thread: string
  /** Rises from lease to lease of a thread: give it to others that are to refuse a runner that was replaced. */
  readonly token: number
  /** Aborted, with a `LEASE_LOST` error, when another has taken over, or has taken the thread away. */
  readonly signal: AbortSignal
  /** Lets the next one have it, when what was written under it has settled. Where it fails it may be called again. */
  release(): Promise<void>
  /** The same as `release`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

export class HeldLease implements Lease {
  readonly thread: string
  readonly token: number
  readonly #claim: Claim
  readonly #lost: AbortController
  readonly #writes = new Set<Promise<unknown>>()
  /** What is to end before it is given back, by the namespace that it is done in. */
  readonly #users = new Map<string, () => void>()
  #isReleased = false
  #ending: Promise<void> | undefined

  /** The controller is aborted by whoever sees first that it was lost. */
  constructor(thread: string, claim: Claim, lost: AbortController) {
    this.thread = thread
    this.token = claim.token
    this.#claim = claim
    this.#lost = lost
    lost.signal.addEventListener('abort', () => void this.#settled().then(() => claim.abandon()), {
      once: true,
    })
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** It was released, or lost. */
  get isOver(): boolean {
    return this.#isReleased || this.signal.aborted
  }

  /** It could not be let go of, and nobody tries to just now. */
  get isLeft(): boolean {
    return this.#isReleased && !this.#ending
  }

  /**
   * One run of a namespace under it, until what this gives is called; `undefined` when there is one. `stop` is called
   * when the lease is released meanwhile.
   */
  use(namespace: string, stop: () => void): (() => void) | undefined {
    if (this.#users.has(namespace)) return undefined
    this.#users.set(namespace, stop)
    return () => {
      if (this.#users.get(namespace) === stop) this.#users.delete(namespace)
    }
  }

  /** Writes under this lease; without any when it was released. */
  write<T>(work: (fence: Fenced) => Promise<T>): Promise<T> {
    if (this.#isReleased) return work({})
    if (this.signal.aborted) return Promise.reject(this.signal.reason as CheckpointerError)
    const writing = work({ lease: this.#claim.lease }).catch((error: unknown) => {
      if (CheckpointerError.is(error, 'LEASE_LOST')) this.#lost.abort(error)
      throw error
    })
    this.#writes.add(writing)
    const done = (): void => void this.#writes.delete(writing)
    writing.then(done, done)
    return writing
  }

  async release(): Promise<void> {
    const users = this.#isReleased ? [] : [...this.#users.values()]
    for (const stop of users) stop()
    this.#isReleased = true
    if (!this.signal.aborted) await this.#end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  #end(): Promise<void> {
    this.#ending ??= this.#settled()
      .then(() => (this.signal.aborted ? undefined : this.#claim.end()))
      .catch((error: unknown) => {
        this.#ending = undefined
        throw error
      })
    return this.#ending
  }

  /** When what was written under it has an answer. */
  #settled(): Promise<unknown> {
    return Promise.allSettled(this.#writes)
  }
}

/** A lease that came from here, and is of this thread. */
export function leaseOf(thread: string, lease: unknown): HeldLease {
  if (lease instanceof HeldLease && lease.thread === thread) return lease
  throw invalid('lease', 'a lease of this thread, as `thread.lease()` gives it')
}
