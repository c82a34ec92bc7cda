import type { LookOptions, LeaseHost } from './claims.ts'
import { pause } from './pause.ts'

/** How long one sign of life is looked at until its giver counts as gone. */
interface Patience {
  /** Between two looks, in milliseconds. */
  readonly look: number
  readonly silence: number
}

const MOST = 1_000

/** Looks at the signs of life of other runners, and leaves their leases alone. */
export class SignsOfLife {
  readonly #host: Pick<LeaseHost, 'leaseSign'>
  readonly #patience: Patience
  /** By thread: the sign that was looked at for long enough. */
  readonly #silent = new Map<string, string>()

  constructor(host: Pick<LeaseHost, 'leaseSign'>, patience: Patience) {
    this.#host = host
    this.#patience = patience
  }

  /** The sign of one who counts as gone, unless another has come since. */
  lastOfGone(thread: string): string | undefined {
    return this.#silent.get(thread)
  }

  /** Whether somebody gives them for this thread. */
  async areGiven(thread: string, { signal, isIdle }: LookOptions): Promise<boolean> {
    const { look, silence } = this.#patience
    const first = await this.#host.leaseSign({ thread })
    for (let looks = 0; looks < silence && first !== undefined; looks++) {
      if (this.#silent.get(thread) === first) return false
      await pause(look, signal, isIdle)
      const sign = await this.#host.leaseSign({ thread })
      if (sign !== first) return sign !== undefined
    }
    if (this.#silent.size >= MOST) this.#silent.clear()
    if (first === undefined) this.#silent.delete(thread)
    else this.#silent.set(thread, first)
    return false
  }
}
