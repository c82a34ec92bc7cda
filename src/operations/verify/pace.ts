/** The most to work at a stretch: a host in a page shares its thread with all that is on screen. */
const STRETCH_MS = 4

/** Lets others have a turn between two rows, when it is time. */
export class Pace {
  #since = performance.now()

  async rest(): Promise<void> {
    if (performance.now() - this.#since < STRETCH_MS) return
    await new Promise<void>((resolve) => setTimeout(resolve, 0))
    this.#since = performance.now()
  }
}
