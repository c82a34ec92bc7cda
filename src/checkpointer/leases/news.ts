import type { CheckpointerEvent } from '../../checkpoint.ts'
import { CheckpointerError, isTaken } from '../../errors.ts'
import type { Claim } from '../../tabs/claims.ts'
import type { EventSource } from '../../tabs/events.ts'

/** What a lease is told by. */
export interface NewsSource {
  readonly subscribe: (listener: (event: CheckpointerEvent) => void) => () => void
  /** Whatever is done under this name, by any tab, is told. */
  readonly hearsAll?: boolean
  /** Tells that something may not have been. */
  readonly onGap?: EventSource['onGap']
  readonly onWarning: (warning: CheckpointerError) => void
}

/**
 * Ends a lease when its thread, or everything, is taken away elsewhere, so that its holder need not write first to
 * learn of it. News may be of the holder's own doing, or of what was before: then the row of the lease says so.
 */
export class LeaseNews {
  readonly #thread: string
  readonly #lost: AbortController
  readonly #onWarning: NewsSource['onWarning']
  readonly #leave: () => void
  #claim: Claim | undefined
  #isDoubted = false

  constructor(thread: string, lost: AbortController, { subscribe, onWarning }: NewsSource) {
    this.#thread = thread
    this.#lost = lost
    this.#onWarning = onWarning
    this.#leave = subscribe((event) => this.#hear(event))
  }

  /** From now on there is something to lose; it may have been lost on the way here. */
  async granted(claim: Claim): Promise<void> {
    this.#claim = claim
    if (this.#isDoubted) await this.#ask(claim)
  }

  stop(): void {
    this.#leave()
  }

  #hear(event: CheckpointerEvent): void {
    const isDestroyed = event.type === 'destroyed'
    if (!isDestroyed && !(event.type === 'deleted' && event.thread === this.#thread)) return
    if (!this.#claim) this.#isDoubted = true
    // To ask would make the database anew, and keep from others that it was taken away.
    else if (isDestroyed) this.#lost.abort(wentWith(this.#thread, 'everything under this name, destroyed'))
    else void this.#ask(this.#claim)
  }

  async #ask(claim: Claim): Promise<void> {
    try {
      if (!(await claim.holds())) this.#lost.abort(wentWith(this.#thread, 'the thread, deleted'))
    } catch (error) {
      // Who cannot be asked now refuses the next write, if it is so.
      if (isTaken(error)) this.#onWarning(error)
    }
  }
}

const wentWith = (thread: string, what: string): CheckpointerError =>
  new CheckpointerError(
    'LEASE_LOST',
    `The lease of thread '${thread}' went with ${what} elsewhere. Stop: nothing more is written under it.`,
    { thread },
  )
