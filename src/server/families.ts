import { CheckpointerError } from '../errors.ts'
import type { Host, StoredSummary, SyncListed, ThreadsRequest } from '../operations/host.ts'
import { callOf, makeHost, onlyReads, type Verb } from '../operations/verbs.ts'
import { touchedBy } from '../remote/touched.ts'
import type { EventSource } from '../tabs/events.ts'
import { familyEvents, threadsOf } from './family-events.ts'

/** A thread as the index has it. */
export interface IndexedThread {
  readonly thread: string
  /** What its family is called: by the thread that it began with. */
  readonly family: string
  /** When it was last changed, as far as the index knows: what orders a list. */
  readonly rank: number
}

/**
 * Which threads there are, and in which family each: a place of its own, beside the families. Entries are made before a
 * thread is, and stay when it is deleted, so that none is ever missing; what a list shows is asked of the families.
 */
export interface FamilyIndex {
  find(thread: string): Promise<IndexedThread | undefined>
  /** Makes an entry, unless there is one; gives the one that holds. */
  enter(entry: IndexedThread): Promise<IndexedThread>
  /** It was changed at that time. May be lost: then it stands too low in a list until it is changed again. */
  touch(thread: string, rank: number): Promise<void>
  /** The greatest rank first, of equal ranks by name; behind this place. */
  list(query: {
    readonly limit: number
    readonly after?: { readonly rank: number; readonly thread: string }
  }): Promise<readonly IndexedThread[]>
}

export interface Families {
  readonly index: FamilyIndex
  /** The store of one family: `remoteHost` to the Durable Object of that name, say. */
  family(name: string): Host
  /**
   * Which family each thread is in, as far as that was seen. It never changes: where a host is made for each request,
   * give all of them the same, and the index is asked once for each thread.
   */
  readonly known?: Map<string, string> | undefined
}

/** A host over many, and what is heard from them. */
export interface FamiliesHost extends Host {
  readonly events: EventSource
}

/** Each entry of a page of a list asks its family: as many as a server may ask at once. */
const PAGE = 40
/** Of more threads than these it is not remembered where they are. */
const MOST_KNOWN = 10_000

/** Only these can make a thread, or what tells others that it was removed. */
const MAKES: ReadonlySet<Verb> = new Set<Verb>(['save', 'saveMany', 'fork', 'copy', 'syncTake', 'syncNote'])

/** What they write is not seen in a thread; a lease that is held writes every few seconds. */
const UNSEEN: ReadonlySet<Verb> = new Set<Verb>(['takeLease', 'keepLease', 'dropLease', 'syncNote'])

/** What these answer of a thread that never was. Its lease may be held all the same, before its first save. */
const OF_NOTHING: { readonly [V in Verb]?: Awaited<ReturnType<Host[V]>> } = {
  head: { next: 1 },
  heads: { heads: [] },
  history: { items: [] },
  load: undefined,
  namespaces: [],
  readWrites: [],
}

/** Nothing of it is held here. */
const IDLE: ReadonlySet<Verb> = new Set<Verb>(['flush', 'rest', 'owe', 'settle', 'close'])

/**
 * One host over many, each of which has one family of threads and nothing else: for
 * `openCheckpointer({ name, host: familiesHost({ index, family }) })`, to be served to others. Nothing is shared by two
 * families but the index. What is of all threads at once (`usage`, `verify`, `runs`, files) is refused: ask each
 * family.
 */
export function familiesHost(families: Families): FamiliesHost {
  const router = new Router(families)
  const host = makeHost((verb) => (request) => {
    if (IDLE.has(verb)) return Promise.resolve(undefined)
    if (verb === 'threads') return router.threads(request as ThreadsRequest)
    if (verb === 'syncList') return router.syncList(request as Parameters<Host['syncList']>[0])
    if (verb === 'syncRecall') return router.syncRecall(request as Parameters<Host['syncRecall']>[0])
    return router.call(verb, request)
  })
  return { ...host, events: familyEvents(families) }
}

class Router {
  readonly #index: FamilyIndex
  readonly #family: Families['family']
  readonly #known: Map<string, string>

  constructor({ index, family, known = new Map() }: Families) {
    this.#index = index
    this.#family = family
    this.#known = known
  }

  /** A call for one thread goes to its family. */
  async call(verb: Verb, request: unknown): Promise<unknown> {
    const touched = touchedBy(verb, request)
    if (!('threads' in touched) || verb === 'exportPage') throw notHere(verb)
    const [thread, ...made] = touched.threads
    if (thread === undefined) throw notHere(verb)
    const isTwin = verb === 'fork' || verb === 'copy'
    // What is not there cannot be forked, nor keep a name from others.
    const family = MAKES.has(verb) && !isTwin ? await this.#entered(thread) : await this.#found(thread)
    // Else anybody's guess would open a store.
    if (family === undefined && verb in OF_NOTHING) return structuredClone(OF_NOTHING[verb])
    if (isTwin && family !== undefined) for (const each of made) await this.#enterTwin(each, family)
    const reply = await callOf(this.#family(family ?? thread), verb)(request)
    if (!onlyReads(verb) && !UNSEEN.has(verb) && family !== undefined) await this.#touch(touched.threads)
    return reply
  }

  /** After it has happened: who looks for what has changed finds it. What is done is done, whatever becomes of this. */
  async #touch(threads: readonly string[]): Promise<void> {
    const at = Date.now()
    await Promise.allSettled(threads.map(async (thread) => this.#index.touch(thread, at)))
  }

  async threads({ limit, after }: ThreadsRequest): ReturnType<Host['threads']> {
    const entries = await this.#index.list({ limit: Math.min(limit, PAGE), ...(after ? { after } : {}) })
    const shown = new Map<string, StoredSummary>()
    for (const family of new Set(entries.map((entry) => entry.family)))
      for (const item of await threadsOf(this.#family(family))) shown.set(item.thread, item)
    const items = entries.flatMap(({ thread }) => shown.get(thread) ?? [])
    return { items, ...nextOf(entries, Math.min(limit, PAGE)) }
  }

  async syncList({ limit, after }: Parameters<Host['syncList']>[0]): ReturnType<Host['syncList']> {
    const most = Math.min(limit, PAGE)
    const from = after && { thread: after.thread, rank: after.rank ?? 0 }
    const entries = await this.#index.list({ limit: most, ...(from ? { after: from } : {}) })
    const items: SyncListed[] = []
    for (const { thread, family } of entries) {
      const { store, stamp } = await this.#family(family).syncAsk({ thread })
      if (stamp !== undefined) items.push({ thread, store, stamp })
    }
    return { items, ...nextOf(entries, most) }
  }

  async syncRecall({ of }: Parameters<Host['syncRecall']>[0]): ReturnType<Host['syncRecall']> {
    const notes = []
    for (const each of of) {
      const family = (await this.#found(each.thread)) ?? each.thread
      notes.push(...(await this.#family(family).syncRecall({ of: [each] })))
    }
    return notes
  }

  async #found(thread: string): Promise<string | undefined> {
    const known = this.#known.get(thread)
    if (known !== undefined) return known
    const entry = await this.#index.find(thread)
    return entry && this.#remember(entry)
  }

  async #entered(thread: string, family = thread): Promise<string> {
    return (
      this.#known.get(thread) ?? this.#remember(await this.#index.enter({ thread, family, rank: Date.now() }))
    )
  }

  #remember({ thread, family }: IndexedThread): string {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(thread, family)
    return family
  }

  /** A fork lives with its origin. */
  async #enterTwin(thread: string, family: string): Promise<void> {
    if ((await this.#entered(thread, family)) === family) return
    throw new CheckpointerError(
      'CONFLICT',
      `There is, or was, a thread '${thread}' in another family: choose another id.`,
      { thread },
    )
  }
}

function nextOf(
  entries: readonly IndexedThread[],
  limit: number,
): { readonly next?: { readonly rank: number; readonly thread: string } } {
  const last = entries.length === limit ? entries.at(-1) : undefined
  return last ? { next: { rank: last.rank, thread: last.thread } } : {}
}

const notHere = (verb: Verb): CheckpointerError =>
  new CheckpointerError(
    'UNSUPPORTED',
    `${verb} works on a whole store, and each family has one of its own: ask each of them.`,
    { outcome: 'none' },
  )
