import type { CheckpointerError } from '../../errors.ts'
import type { Host } from '../../operations/host.ts'
import { Flushes } from '../../platform/flushes.ts'
import { randomName } from '../../platform/random.ts'
import { unref } from '../../platform/unref.ts'
import { notDurable } from './failures.ts'

/** So long after the last write all of it is made durable, and nothing is owed: who is killed then loses nothing. */
const IDLE = 2_000

interface Debtor {
  readonly host: Pick<Host, 'owe' | 'flush' | 'rest'>
  /** Whether all that was taken is written. */
  readonly isWritten: () => boolean
  /** Nothing is owed any more: what is saved from now on is owed anew. */
  readonly rested: () => void
  readonly warn: (warning: CheckpointerError) => void
}

/** What the store is owed: that more is to come, and that what was written be made durable. */
export class Debt {
  readonly #of: Debtor
  #owing: Promise<void> | undefined
  #session: string | undefined
  readonly #flushes: Flushes
  /** Why what was taken could not be made durable behind the callers' backs. */
  #unrested: CheckpointerError | undefined
  #isClosing = false
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor(of: Debtor) {
    this.#of = of
    this.#flushes = new Flushes(() => of.host.flush())
  }

  /** The store's name of the session that owes. It is given here: a page may go before the store has answered. */
  get session(): string | undefined {
    return this.#session
  }

  /** Resolves when the store knows that something may be owed to it. */
  owe(): Promise<void> {
    this.#owing ??= this.#of.host.owe({ session: (this.#session = randomName(12)) }).then(
      (session) => void (this.#session = session),
      (error: unknown) => {
        this.#owing = undefined
        throw error
      },
    )
    return this.#owing
  }

  /** Something was written, which is not durable yet. */
  wrote(): void {
    this.#flushes.wrote()
  }

  /** Rejects also with what could not be made durable before, and was told nobody. */
  async settle(): Promise<void> {
    await this.#flushes.flush()
    const unrested = this.#unrested
    this.#unrested = undefined
    if (unrested) throw unrested
  }

  /** Settles by itself once nothing has come for a while. */
  settleWhenIdle(): void {
    clearTimeout(this.#idle)
    if (!this.#mayRest()) return
    this.#idle = setTimeout(() => void this.#rest().catch((error: unknown) => this.#notDurable(error)), IDLE)
    unref(this.#idle)
  }

  /** The store may believe that nothing is owed to it. */
  forget(): void {
    this.#owing = undefined
  }

  /** From here on nothing is done but what is asked for. */
  close(): void {
    this.#isClosing = true
    clearTimeout(this.#idle)
  }

  #mayRest(): boolean {
    return this.#flushes.isDue && this.#of.isWritten() && !this.#isClosing
  }

  async #rest(): Promise<void> {
    await this.#flushes.flush()
    if (this.#flushes.isDue || !this.#of.isWritten() || this.#isClosing) return
    this.#of.rested()
    await this.#of.host.rest()
  }

  /**
   * What failed is tried again after the next save. But when the database was taken away, which is told once, what
   * is tried then is done to another one.
   */
  #notDurable(cause: unknown): void {
    if (this.#isClosing) return
    this.#of.rested()
    this.#unrested = notDurable(cause)
    this.#of.warn(this.#unrested)
  }
}
