import type { CheckpointerEvent, RunInfo, ThreadSummary } from '../../index.ts'
import type { Desk } from '../desk.ts'

/** So many are read before they are shown for the first time, and between two showings. */
const STRETCH = 500

/** The threads as they stand, latest first, kept true by reading again only what has changed. */
export class ThreadList {
  readonly #desk: Desk
  readonly #onChange: () => void
  #threads: readonly ThreadSummary[] = []
  #runs = new Map<string, RunInfo[]>()
  readonly #changed = new Set<string>()
  /** What was deleted while the list was read: it may have been read before. */
  readonly #gone = new Set<string>()
  #isRead = false

  constructor(desk: Desk, onChange: () => void) {
    this.#desk = desk
    this.#onChange = onChange
  }

  get threads(): readonly ThreadSummary[] {
    return this.#threads
  }

  get isRead(): boolean {
    return this.#isRead
  }

  find(id: string): ThreadSummary | undefined {
    return this.#threads.find((thread) => thread.id === id)
  }

  runsOf(id: string): readonly RunInfo[] {
    return this.#runs.get(id) ?? []
  }

  /** Whether the list is to be read again. */
  hear(event: CheckpointerEvent): boolean {
    if (event.type === 'destroyed') {
      this.#isRead = false
      return true
    }
    if (event.type === 'deleted') {
      // To look for what is not there, all would be read.
      this.#threads = this.#threads.filter(({ id }) => id !== event.thread)
      this.#changed.delete(event.thread)
      this.#gone.add(event.thread)
      return true
    }
    const isNews = this.#isNews(event)
    if (isNews) this.#changed.add(event.thread)
    this.#gone.delete(event.thread)
    return isNews
  }

  /** The list shows heads of root namespaces, and when these were saved to. */
  #isNews(event: Exclude<CheckpointerEvent, { readonly type: 'destroyed' | 'deleted' }>): boolean {
    const known = this.find(event.thread)
    if (event.type === 'pruned') return known?.head !== undefined && event.seqs.includes(known.head.seq)
    return (event.type === 'saved' || event.type === 'forked') && (event.namespace === '' || !known)
  }

  async refresh(): Promise<void> {
    this.#gone.clear()
    try {
      if (this.#isRead) await this.#readChanged()
      else await this.#readAll()
    } catch (error) {
      this.#isRead = false
      throw error
    }
    this.#onChange()
  }

  async refreshRuns(): Promise<void> {
    const runs = new Map<string, RunInfo[]>()
    for await (const run of this.#desk.checkpointer.runs({ signal: this.#desk.signal }))
      runs.set(run.thread, [...(runs.get(run.thread) ?? []), run])
    this.#runs = runs
    this.#onChange()
  }

  async #readAll(): Promise<void> {
    this.#changed.clear()
    this.#isRead = true
    const threads: ThreadSummary[] = []
    for await (const thread of this.#desk.checkpointer.threads({ signal: this.#desk.signal })) {
      threads.push(thread)
      if (threads.length % STRETCH > 0) continue
      this.#threads = [...threads]
      this.#onChange()
    }
    this.#threads = threads.filter(({ id }) => !this.#gone.has(id))
  }

  /** What has changed stands at the head of the list; what is not found there was deleted. */
  async #readChanged(): Promise<void> {
    const wanted = new Set(this.#changed)
    this.#changed.clear()
    const gone = new Set(wanted)
    const found: ThreadSummary[] = []
    for await (const thread of this.#desk.checkpointer.threads({ signal: this.#desk.signal })) {
      if (gone.size === 0) break
      if (gone.delete(thread.id) && !this.#gone.has(thread.id)) found.push(thread)
    }
    const others = this.#threads.filter(({ id }) => !wanted.has(id))
    this.#threads = [...found, ...others].sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
  }
}
