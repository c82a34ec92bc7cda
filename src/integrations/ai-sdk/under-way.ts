import type { RunInfo } from '../../checkpointer/runs/seen/run-info.ts'
import type { Thread } from '../../checkpointer/thread.ts'

/** Whether a chat that was just loaded is to be shown more of its latest answer than is stored. */
export const isToBeShown = (run: RunInfo | undefined): run is RunInfo =>
  run !== undefined && run.status !== 'finished' && run.status !== 'stopped'

/** The ids of streams that can be resumed, as assistant-ui asks for them. */
export interface StreamIds {
  getStreamId(chatId?: string): string | null
  setStreamId(id: string, chatId?: string): void
  clear(chatId?: string): void
  subscribe(listener: () => void, chatId?: string): () => void
}

/** Which chats have an answer to go on with. */
export class UnderWay implements StreamIds {
  readonly #threadOf: (chatId: string) => Pick<Thread, 'latestRun'>
  readonly #runs = new Map<string, string>()

  constructor(threadOf: (chatId: string) => Pick<Thread, 'latestRun'>) {
    this.#threadOf = threadOf
  }

  getStreamId(chatId = ''): string | null {
    return this.#runs.get(chatId) ?? null
  }

  /** Nobody but the thread itself says so. */
  setStreamId(): void {}

  clear(chatId = ''): void {
    this.#runs.delete(chatId)
  }

  /** Looks once: what is begun later is begun by this page, or told of in other ways. */
  subscribe(listener: () => void, chatId = ''): () => void {
    let isLeft = false
    const look = async (): Promise<void> => {
      const run = await this.#threadOf(chatId).latestRun()
      if (isLeft || !isToBeShown(run)) return
      this.#runs.set(chatId, run.runId)
      listener()
    }
    // What cannot be read is told by the call that needs it.
    look().catch(() => {})
    return () => {
      isLeft = true
    }
  }
}
