/** The threads with their titles, as they are in all tabs. */
import type { Checkpointer, CheckpointerEvent, RunInfo, ThreadSummary } from 'forkpoint'
import { readTitle, titleOfUntitled } from './titles.ts'
import { Store } from './store.ts'

export interface ListedThread {
  readonly id: string
  readonly title: string
  readonly updatedAt: Date
  readonly forkOf?: string
  /** Of a run that is under way, in whichever tab. */
  readonly run?: 'running' | 'waiting'
}

const SOON_MS = 80

export class ThreadList {
  /** Absent until it was read. */
  readonly threads = new Store<readonly ListedThread[] | undefined>(undefined)
  readonly #checkpointer: Checkpointer
  readonly #titles = new Map<string, string>()
  /** The runs that are under way, by their threads. */
  readonly #runs = new Map<string, 'running' | 'waiting'>()
  readonly #onError: (error: unknown) => void
  #isDue = false

  constructor(checkpointer: Checkpointer, onError: (error: unknown) => void) {
    this.#checkpointer = checkpointer
    this.#onError = onError
    checkpointer.subscribe((event) => this.#hear(event))
    // What happened while the browser kept this page asleep was not heard.
    addEventListener('pageshow', ({ persisted }) => persisted && this.#readAll())
    this.#readAll()
  }

  #hear(event: CheckpointerEvent): void {
    if (event.type === 'writes') return
    if (event.type === 'run' && event.namespace === '') this.#note(event.thread, event.status)
    if (event.type === 'saved' && event.namespace !== '') this.#titles.delete(event.thread)
    this.#soon()
  }

  /** A run saves many times a second; a list need not be read as often. */
  #soon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => {
      this.#isDue = false
      this.#refresh()
    }, SOON_MS)
  }

  #note(thread: string, status: RunInfo['status']): void {
    if (status === 'running' || status === 'waiting') this.#runs.set(thread, status)
    else this.#runs.delete(thread)
  }

  #readAll(): void {
    this.#readRuns().then(() => this.#refresh(), this.#onError)
  }

  async #readRuns(): Promise<void> {
    this.#runs.clear()
    for await (const { thread, namespace, status } of this.#checkpointer.runs({
      status: ['running', 'waiting'],
    }))
      if (namespace === '') this.#note(thread, status)
  }

  #refresh(): void {
    this.#read().then((threads) => this.threads.set(threads), this.#onError)
  }

  async #read(): Promise<ListedThread[]> {
    const found: ThreadSummary[] = []
    for await (const thread of this.#checkpointer.threads()) found.push(thread)
    return Promise.all(found.map((thread) => this.#listed(thread)))
  }

  async #listed(thread: ThreadSummary): Promise<ListedThread> {
    const { id, updatedAt, forkOf } = thread
    const title =
      this.#titles.get(id) ??
      (await readTitle(this.#checkpointer, id)) ??
      (await titleOfUntitled(this.#checkpointer, thread))
    // Of one that was given none and holds nothing yet, it is still to come.
    if (title !== id) this.#titles.set(id, title)
    const run = this.#runs.get(id)
    return { id, title, updatedAt, ...(forkOf ? { forkOf: forkOf.thread } : {}), ...(run ? { run } : {}) }
  }
}
