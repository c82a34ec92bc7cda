/** The alarm that starts this extension again while it has work: idle for half a minute it dies, timers and all. */
import type { Alarms } from './browser.ts'

const NAME = 'go on'

export class Wake {
  readonly #alarms: Pick<Alarms, 'create' | 'clear'>
  readonly #isBusy: () => Promise<boolean>
  #under = 0
  #line: Promise<void> = Promise.resolve()

  /** `isBusy` tells of work that is stored: this may be another life than the one that has begun it. */
  constructor(alarms: Pick<Alarms, 'create' | 'clear'>, isBusy: () => Promise<boolean>) {
    this.#alarms = alarms
    this.#isBusy = isBusy
  }

  /** Has the alarm set before the work begins. */
  async during(work: () => Promise<unknown>): Promise<void> {
    this.#under++
    try {
      await this.settle()
      await work()
    } finally {
      this.#under--
      await this.settle()
    }
  }

  /** Sets the alarm, or clears it. One after the other: who has ended does not take it from who has just begun. */
  settle(): Promise<void> {
    const settled = this.#line.then(async () => {
      const isNeeded = this.#under > 0 || (await this.#isBusy())
      await (isNeeded ? this.#alarms.create(NAME, { periodInMinutes: 1 }) : this.#alarms.clear(NAME))
    })
    this.#line = settled.catch(() => {})
    return settled
  }
}
