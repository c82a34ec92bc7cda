import { nameOf } from './errors.ts'
import { turnInTime } from './patience.ts'

/**
 * Lets one transaction on a connection at a time; the others wait here, and not in the engine. When a page goes while its worker
 * has several under way on one connection, WebKit may keep what one of them had locked: then nobody can write to the
 * database before the browser is started again. In WebKitGTK 2.50 it took 15 to 90 loads of a page that saves, and also a
 * worker of ten lines whose transactions wait for each other.
 */
export class Gate {
  /** Until all that has come so far is over. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #waiting = new Set<() => void>()
  #isOpen = false
  #current: Pick<IDBTransaction, 'abort'> | undefined

  /** Waits for a turn. What it gives is to be called when that is over. */
  async enter(mode: 'readonly' | 'readwrite'): Promise<() => void> {
    let leave = (): void => {}
    const over = new Promise<void>((resolve) => (leave = resolve))
    const before = this.#last
    this.#last = Promise.all([before, over])
    try {
      await turnInTime(this.#until(before), mode)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  /** Whoever has the turn has begun this. */
  begun(tx: Pick<IDBTransaction, 'abort'>): void {
    this.#current = tx
  }

  /** Takes back what is under way, if it is. */
  abort(): void {
    try {
      this.#current?.abort()
    } catch (error) {
      if (nameOf(error) !== 'InvalidStateError') throw error
    }
  }

  /** Nobody waits any more: of a connection that does not work, the end of a transaction may never be told. */
  open(): void {
    this.#isOpen = true
    for (const go of this.#waiting) go()
  }

  async #until(before: Promise<unknown>): Promise<void> {
    if (this.#isOpen) return
    let go = (): void => {}
    const opened = new Promise<void>((resolve) => (go = resolve))
    this.#waiting.add(go)
    await Promise.race([opened, before])
    this.#waiting.delete(go)
  }
}
