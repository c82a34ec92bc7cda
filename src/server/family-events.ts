import type { Host, StoredSummary } from '../operations/host.ts'
import type { EventSource, Tell } from '../tabs/events.ts'
import { whileHeard } from '../tabs/while-heard.ts'
import { unref } from '../platform/unref.ts'
import type { Families, IndexedThread } from './families.ts'

/** Between two looks, in milliseconds. */
const PACE = 1_000
/** Entries that are looked at: those that were changed last. */
const MOST = 100
/** What was changed so shortly ago may have been changed again under the same time. */
const JUST = 2_000

/**
 * News of all families: while anybody listens the index is looked at, which is one call, and of it only those are asked
 * that were changed. Told is what heads show: one `saved` for all saves since, and only of the root namespace.
 */
export function familyEvents(families: Pick<Families, 'index' | 'family'>): EventSource {
  const gaps = new Set<() => void>()
  const { subscribe, close } = whileHeard((tell) => {
    const looks = new Looks(families, tell, () => gaps.forEach((gap) => gap()))
    return () => looks.stop()
  })
  return {
    subscribe,
    onGap(listener) {
      gaps.add(listener)
      return () => void gaps.delete(listener)
    },
    close() {
      gaps.clear()
      close()
    },
  }
}

/** An entry as it was, and what its family showed then, if it was asked. */
interface Seen {
  readonly rank: number
  readonly shown?: StoredSummary | undefined
}

class Looks {
  readonly #families: Pick<Families, 'index' | 'family'>
  readonly #tell: Tell
  readonly #onGap: () => void
  readonly #since = Date.now()
  readonly #seen = new Map<string, Seen>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopped = false

  constructor(families: Pick<Families, 'index' | 'family'>, tell: Tell, onGap: () => void) {
    this.#families = families
    this.#tell = tell
    this.#onGap = onGap
    void this.#look()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #look(): Promise<void> {
    try {
      const entries = await this.#families.index.list({ limit: MOST })
      const changed = entries.filter((entry) => this.#isNews(entry))
      const shown = await this.#shownOf(new Set(changed.map(({ family }) => family)))
      if (this.#stopped) return
      const listed = new Set(entries.map(({ thread }) => thread))
      for (const thread of this.#seen.keys()) if (!listed.has(thread)) this.#seen.delete(thread)
      // The earliest first, as it happened.
      for (const entry of changed.reverse()) this.#compare(entry, shown.get(entry.thread))
    } catch {
      // What cannot be asked for now is news later; who serves others may end their streams, as they come again.
      this.#onGap()
    }
    if (this.#stopped) return
    this.#timer = setTimeout(() => void this.#look(), PACE)
    unref(this.#timer)
  }

  #isNews({ thread, rank }: IndexedThread): boolean {
    const seen = this.#seen.get(thread)
    if (!seen && rank < this.#since) {
      this.#seen.set(thread, { rank })
      return false
    }
    return seen?.rank !== rank || rank > Date.now() - JUST
  }

  async #shownOf(families: ReadonlySet<string>): Promise<ReadonlyMap<string, StoredSummary>> {
    const shown = new Map<string, StoredSummary>()
    for (const name of families)
      for (const item of await threadsOf(this.#families.family(name))) shown.set(item.thread, item)
    return shown
  }

  #compare({ thread, rank }: IndexedThread, shown: StoredSummary | undefined): void {
    const seen = this.#seen.get(thread)
    this.#seen.set(thread, { rank, shown })
    const before = seen?.shown
    // An entry is made before its thread is: one that was never seen to be there is not gone.
    const isGone = shown
      ? before && before.createdAt !== shown.createdAt
      : (before ?? (seen && seen.rank < this.#since))
    if (isGone) this.#tell({ type: 'deleted', thread })
    if (!shown?.head || (!isGone && shown.head.seq <= (before?.head?.seq ?? 0))) return
    const { head, forkOf, createdAt } = shown
    if (!before && forkOf && createdAt >= this.#since)
      this.#tell({ type: 'forked', thread, namespace: '', from: forkOf.thread, seq: head.seq })
    else this.#tell({ type: 'saved', thread, namespace: '', seq: head.seq, id: head.id })
  }
}

/** All threads of one family. */
export async function threadsOf(family: Pick<Host, 'threads'>): Promise<readonly StoredSummary[]> {
  const items: StoredSummary[] = []
  for (let after: Parameters<Host['threads']>[0]['after']; ;) {
    const reply = await family.threads({ limit: 1_000, ...(after ? { after } : {}) })
    items.push(...reply.items)
    if (!reply.next) return items
    after = reply.next
  }
}
