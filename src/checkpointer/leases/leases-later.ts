import type { LookOptions } from '../../tabs/claims.ts'
import { closed } from '../../errors.ts'
import type { HeldLease, LeaseOptions } from './lease.ts'
import type { Leases } from './leases.ts'

/** The leases of a checkpointer, which are loaded when the first one is asked for. */
export class LeasesLater implements Pick<Leases, 'take' | 'isHeld' | 'close'> {
  readonly #load: () => Promise<Leases>
  #loading: Promise<Leases> | undefined
  #isClosed = false

  constructor(load: () => Promise<Leases>) {
    this.#load = load
  }

  async take(thread: string, options: LeaseOptions): Promise<HeldLease> {
    return (await this.#loaded()).take(thread, options)
  }

  async isHeld(thread: string, options?: LookOptions): Promise<boolean> {
    return (await this.#loaded()).isHeld(thread, options)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // What could not be loaded holds nothing; who asked for it was told.
    await (await this.#loading?.catch(() => undefined))?.close()
  }

  async #loaded(): Promise<Leases> {
    if (this.#isClosed && !this.#loading) throw closed()
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }
}
