import type { HeldLease, Host, TakeLeaseReply } from '../operations/host.ts'
import type { Verb } from '../operations/verbs.ts'

/** The leases that were given over one wire. They end with it, as a lock ends with its page. */
export class LeasesTaken {
  readonly #held = new Map<string, HeldLease>()

  /** Of a call that was made, and its answer. */
  note(message: unknown, reply: unknown): void {
    const { verb, request } = message as { readonly verb: Verb; readonly request: unknown }
    if (verb === 'dropLease') this.#held.delete((request as HeldLease).lease)
    // Of one that was given before the service worker was started anew, a sign of life tells.
    if (verb === 'keepLease' && reply === true) this.#hold(request as HeldLease)
    if (verb !== 'takeLease') return
    const taken = reply as TakeLeaseReply
    if ('lease' in taken) this.#hold({ thread: (request as HeldLease).thread, lease: taken.lease })
  }

  #hold({ thread, lease }: HeldLease): void {
    this.#held.set(lease, { thread, lease })
  }

  /** All of them, which are held no more. */
  take(): readonly HeldLease[] {
    const held = [...this.#held.values()]
    this.#held.clear()
    return held
  }

  async dropAll(host: Pick<Host, 'dropLease'>): Promise<void> {
    await Promise.allSettled(this.take().map((lease) => host.dropLease(lease)))
  }
}
