import { CheckpointerError, isTaken } from '../errors.ts'
import type { Host, StoredSummary } from '../operations/host.ts'
import { unref } from '../platform/unref.ts'
import type { Events, Tell } from './events.ts'
import { whileHeard } from './while-heard.ts'

/** Between two looks, in milliseconds. */
const PACE = 1_000
/** Threads that are looked at: those that were changed last. */
const MOST = 100

/**
 * News where there is no channel between tabs: the list of threads is looked at, while anybody listens, and compared
 * with the last time. Told is what heads show: one `saved` for all saves since, and only of the root namespace.
 */
export function polledEvents(
  host: Pick<Host, 'threads'>,
  onWarning: (warning: CheckpointerError) => void,
): Events {
  return {
    publish() {
      // Whoever has changed something sees it by the next look.
    },
    ...whileHeard((tell) => {
      const polling = new Polling(host, tell, onWarning)
      return () => polling.stop()
    }),
  }
}

class Polling {
  readonly #host: Pick<Host, 'threads'>
  readonly #tell: Tell
  readonly #onWarning: (warning: CheckpointerError) => void
  /** What was changed earlier is no news, when it is met for the first time, or again after it had slipped off. */
  #since = Date.now()
  readonly #seen = new Map<string, StoredSummary>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopped = false
  #isWarned = false

  constructor(host: Pick<Host, 'threads'>, tell: Tell, onWarning: (warning: CheckpointerError) => void) {
    this.#host = host
    this.#tell = tell
    this.#onWarning = onWarning
    void this.#look()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #look(): Promise<void> {
    try {
      const { items, next } = await this.#host.threads({ limit: MOST })
      this.#isWarned = false
      if (!this.#stopped) this.#compare(items, next === undefined)
    } catch (cause) {
      if (isTaken(cause)) {
        if (!this.#stopped) this.#onWarning(cause)
      } else if (!this.#stopped && !this.#isWarned) {
        this.#isWarned = true
        const message = 'Changes cannot be seen for now, and are told later.'
        this.#onWarning(new CheckpointerError('FAILED', message, { cause }))
      }
    }
    if (this.#stopped) return
    this.#timer = setTimeout(() => void this.#look(), PACE)
    unref(this.#timer)
  }

  #compare(items: readonly StoredSummary[], isAll: boolean): void {
    const present = new Set(items.map(({ thread }) => thread))
    const oldest = items.at(-1)?.updatedAt ?? 0
    for (const { thread, updatedAt } of this.#seen.values()) {
      if (present.has(thread)) continue
      this.#seen.delete(thread)
      if (isAll || updatedAt > oldest) this.#tell({ type: 'deleted', thread })
      // One that was changed before all of these may only have slipped off the list.
      else this.#since = Math.max(this.#since, updatedAt + 1)
    }
    for (const item of [...items].reverse()) {
      this.#news(item, this.#seen.get(item.thread))
      this.#seen.set(item.thread, item)
    }
  }

  #news(item: StoredSummary, before: StoredSummary | undefined): void {
    const { thread, head, forkOf, createdAt, updatedAt } = item
    const isAnother = before !== undefined && before.createdAt !== createdAt
    if (isAnother) this.#tell({ type: 'deleted', thread })
    const isNew = before === undefined || isAnother
    if (!head || (isNew ? updatedAt < this.#since : head.seq <= (before.head?.seq ?? 0))) return
    if (isNew && forkOf && createdAt >= this.#since)
      this.#tell({ type: 'forked', thread, namespace: '', from: forkOf.thread, seq: head.seq })
    else this.#tell({ type: 'saved', thread, namespace: '', seq: head.seq, id: head.id })
  }
}
