import type { CheckpointerError } from '../../errors.ts'
import { Pauses } from './pauses.ts'

/** What keeps a queue from writing, who has heard of it, and when it is tried again. */
export class Trouble {
  #failure: CheckpointerError | undefined
  #untold: CheckpointerError | undefined
  readonly #pauses: Pauses

  constructor(again: () => void) {
    this.#pauses = new Pauses(again)
  }

  /** Why what is here could not be written, for as long as that is so. */
  get failure(): CheckpointerError | undefined {
    return this.#failure
  }

  get isUntold(): boolean {
    return this.#untold !== undefined
  }

  /** A failure that no call was rejected with yet; after this one was. */
  takeUntold(): CheckpointerError | undefined {
    const untold = this.#untold
    this.#untold = undefined
    return untold
  }

  /** For the next call to be rejected with. */
  tell(error: CheckpointerError): void {
    this.#untold = error
  }

  /** Nothing can be written, and that is tried again. Gives whether it went well before. */
  begin(error: CheckpointerError): boolean {
    const isNew = this.#failure === undefined
    if (isNew) this.tell(error)
    this.#failure = error
    this.#pauses.begin()
    return isNew
  }

  /** It went well. */
  end(): void {
    this.#failure = undefined
    this.#pauses.reset()
  }

  /** Nothing is tried until it is asked for. */
  wait(): void {
    this.#pauses.stop()
  }

  /** It is tried by itself a while from now. */
  goOn(): void {
    this.#pauses.begin()
  }
}
