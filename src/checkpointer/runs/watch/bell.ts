import { onAbort } from '../../../platform/on-abort.ts'

/** Rung by whoever has something, heard by the one who fetches it: how often it was rung meanwhile is no matter. */
export class Bell {
  #isRung = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#isRung = true
    this.#wake?.()
  }

  /** Resolves when it was rung since the last time. Rejects with the signal's reason. */
  async heard(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.#isRung) await this.#rung(signal)
    this.#isRung = false
  }

  #rung(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = onAbort(signal, () => reject(signal.reason))
      this.#wake = () => {
        leave()
        this.#wake = undefined
        resolve()
      }
    })
  }
}
