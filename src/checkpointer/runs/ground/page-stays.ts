type Page = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>

/** In milliseconds. A page that lives so long after it was told to go has most likely stayed. */
const GONE_BY = 20_000

/**
 * Whether what fails in this page may have failed because it goes. Firefox and WebKit cut off its requests right after
 * `beforeunload`, Chromium right after `pagehide`, and scripts see them fail as in a network that is down. In the first
 * two this is so also when the page then stays, as behind a link to a download, and no event tells that it does.
 */
export class PageStays {
  #toldAt = -Infinity
  #isLeft = false
  readonly #waiting = new Set<() => void>()
  readonly #unlisten: () => void

  constructor() {
    // A worker has no such events, and Node has no events at all.
    const page = globalThis as Partial<Page>
    const events: Readonly<Record<string, () => void>> = {
      beforeunload: () => (this.#toldAt = performance.now()),
      pagehide: () => {
        this.#toldAt = performance.now()
        this.#isLeft = true
      },
      pageshow: () => this.#isBack(),
    }
    for (const [name, hear] of Object.entries(events)) page.addEventListener?.(name, hear)
    this.#unlisten = () => {
      for (const [name, hear] of Object.entries(events)) page.removeEventListener?.(name, hear)
    }
  }

  /** Whatever comes to its end now, it is because the page goes. */
  get isLeft(): boolean {
    return this.#isLeft && this.#left > 0
  }

  /** Resolves when the page is back or seems to stay, to which one that goes never comes. Rejects when it is stopped. */
  async known(stopped: AbortSignal): Promise<void> {
    while (this.#left > 0)
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer)
          this.#waiting.delete(go)
          stopped.removeEventListener('abort', go)
          resolve()
        }
        const timer = setTimeout(go, this.#left)
        this.#waiting.add(go)
        stopped.addEventListener('abort', go)
        if (stopped.aborted) go()
      }).then(() => stopped.throwIfAborted())
  }

  stop(): void {
    this.#unlisten()
  }

  /** So long, in milliseconds, it may still go. */
  get #left(): number {
    return this.#toldAt + GONE_BY - performance.now()
  }

  #isBack(): void {
    this.#toldAt = -Infinity
    this.#isLeft = false
    for (const go of this.#waiting) go()
  }
}
