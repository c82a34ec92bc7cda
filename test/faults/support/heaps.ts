import type { CDPSession, Page } from 'playwright-core'

/** Asks for the memory of a page and of its worker, after their garbage was collected. Chromium only. */
export class Heaps {
  readonly #page: CDPSession
  readonly #worker: string
  #lastId = 0

  private constructor(page: CDPSession, worker: string) {
    this.#page = page
    this.#worker = worker
  }

  /** The page must have one worker by now. */
  static async of(page: Page): Promise<Heaps> {
    const session = await page.context().newCDPSession(page)
    const worker = new Promise<string>((resolve) => {
      session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
        if (targetInfo.type === 'worker') resolve(sessionId)
      })
    })
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: false,
    })
    return new Heaps(session, await worker)
  }

  async ofPage(): Promise<number> {
    await this.#page.send('HeapProfiler.collectGarbage')
    return (await this.#page.send('Runtime.getHeapUsage')).usedSize
  }

  async ofWorker(): Promise<number> {
    await this.#askWorker('HeapProfiler.collectGarbage')
    return ((await this.#askWorker('Runtime.getHeapUsage')) as { usedSize: number }).usedSize
  }

  /** Playwright knows no session with a worker, so its messages go through the page's. */
  async #askWorker(method: string): Promise<unknown> {
    const id = ++this.#lastId
    const answered = new Promise<unknown>((resolve, reject) => {
      const listen = ({ sessionId, message }: { sessionId: string; message: string }): void => {
        const reply = JSON.parse(message) as { id?: number; result?: unknown; error?: { message: string } }
        if (sessionId !== this.#worker || reply.id !== id) return
        this.#page.off('Target.receivedMessageFromTarget', listen)
        if (reply.error) reject(new Error(`${method}: ${reply.error.message}`))
        else resolve(reply.result)
      }
      this.#page.on('Target.receivedMessageFromTarget', listen)
    })
    const message = JSON.stringify({ id, method })
    await this.#page.send('Target.sendMessageToTarget', { sessionId: this.#worker, message })
    return answered
  }
}
