import type { CheckpointerEvent, ThreadSummary } from '../checkpoint.ts'
import { CheckpointerError } from '../errors.ts'
import type { Host, StoredSummary, ThreadsRequest } from '../operations/host.ts'
import { VERBS, type Verb } from '../operations/verbs.ts'
import type { Codec } from '../state/codec.ts'
import type { Claims } from '../tabs/claims.ts'
import { writingAs, type Durability } from './durability.ts'
import { toInfo } from './states/fields.ts'
import { exportBytes, type ExportOptions } from './carry/export.ts'
import { importFrom, type Imported, type ImportOptions } from './carry/import.ts'
import type { ImportSource } from './carry/source.ts'
import type { LeftBehind } from './left/left-behind.ts'
import { KnownStates } from './states/known-states.ts'
import { leaseOf, type Lease } from './leases/lease.ts'
import { Leases } from './leases/leases.ts'
import { withoutUndefined } from './options/without-undefined.ts'
import {
  checkFunction,
  checkLimit,
  checkOptions,
  checkSignal,
  invalid,
  timeOf,
  type Names,
} from './options/options.ts'
import { storedThreadRules, type ThreadRetention } from './removals/retention.ts'
import { askToPersist, isPersisted, quotaHere, type Persistence } from './upkeep/persistence.ts'
import { StoredThread, type Shared } from './threads/stored-thread.ts'
import type { Thread } from './threads/thread.ts'
import { countUsage, USAGE, type Usage, type UsageOptions } from './upkeep/usage.ts'
import { verification, type Verification, type VerifyOptions } from './upkeep/verification.ts'
import { UnsureCalls } from './unsure/unsure-calls.ts'

export interface ThreadsOptions {
  /** The most to give. All when absent. */
  readonly limit?: number | undefined
  /** `oldest` reads the whole list before it gives the first. */
  readonly order?: 'latest' | 'oldest' | undefined
  /** Only threads last changed before this. */
  readonly before?: Date | undefined
  /** Only threads that fit. */
  readonly where?: ((thread: ThreadSummary) => boolean) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ThreadOptions {
  /** A lane of its own within the thread, for a subgraph. The root when absent. */
  readonly namespace?: string | undefined
  /** What this handle writes stands under this lease of the thread too. */
  readonly lease?: Lease | undefined
  /**
   * What this namespace of the thread lets go by itself, in place of what the checkpointer was opened with;
   * `false`: nothing. It holds from the next save on, until a save through a handle that says otherwise.
   */
  readonly retention?: ThreadRetention | false | undefined
}

export interface Checkpointer {
  /** A handle on a thread. Nothing is read or written until it is used. */
  thread<State = unknown>(id: string, options?: ThreadOptions): Thread<State>
  /** The threads, the latest first unless `order` says otherwise. */
  threads(options?: ThreadsOptions): AsyncIterable<ThreadSummary>
  /** Hears of every change, from any tab; without BroadcastChannel of less. Call what it returns to stop. */
  subscribe(listener: (event: CheckpointerEvent) => void): () => void
  /** Counts what is stored, by reading it. */
  usage(options?: UsageOptions): Promise<Usage>
  /** Asks the browser not to evict this site's data; `unsupported` where it cannot be asked, as in a worker. */
  persist(): Promise<Persistence>
  /**
   * Waits for all that was saved so far, and resolves when it is durable. Rejects with a failure when some of it could
   * not be saved: also with that of a save which is under way at the call, and is rejected with it itself.
   */
  flush(): Promise<void>
  /** Checks every row, every state down its chain, and what rows say of one another; mends it when asked to. */
  verify(options?: VerifyOptions): Promise<Verification>
  /** Threads as a file, all of them when none are named; forks stay forks. Bytes are made as they are asked for. */
  export(ids?: string | readonly string[], options?: ExportOptions): AsyncIterable<Uint8Array<ArrayBuffer>>
  /** Brings in what `export` made: all of it, or nothing when any of it is damaged. */
  import(source: ImportSource, options?: ImportOptions): Promise<Imported>
  /** Waits for what is under way, then lets go of the storage. */
  close(): Promise<void>
  /** Deletes everything under this name, and closes. */
  destroy(): Promise<void>
}

/** What a checkpointer is made of. */
interface Parts {
  readonly host: Host
  readonly codec: Codec
  readonly events: EventSource
  readonly claims: Claims
  readonly durability: Durability
  readonly left?: LeftBehind | undefined
  /** Ends what goes on beside the calls. */
  readonly onClose?: () => void
  readonly onWarning: (warning: CheckpointerError) => void
}

/** Where changes are heard of. */
interface EventSource {
  subscribe(listener: (event: CheckpointerEvent) => void): () => void
  close(): void
}

const THREAD: Names<ThreadOptions> = { namespace: true, lease: true, retention: true }
const THREADS: Names<ThreadsOptions> = { limit: true, order: true, before: true, where: true, signal: true }

const THREADS_PAGE = 100

async function* reversed<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  yield* all.reverse()
}

export class StoredCheckpointer implements Checkpointer {
  readonly #shared: Shared
  readonly #events: EventSource
  readonly #pending = new Set<Promise<unknown>>()
  readonly #stopListening: () => void
  #closing: Promise<void> | undefined

  constructor({ host, codec, events, claims, durability, left, onWarning, onClose }: Parts) {
    const known = new KnownStates()
    const watch = (inner: Host): Host => this.#watched(inner)
    const writing = writingAs(durability, host, watch, { known, left, onWarning })
    this.#shared = {
      host: writing.host,
      codec,
      known,
      saves: writing.saves,
      unsure: new UnsureCalls(),
      leases: new Leases(claims, { subscribe: (listener) => events.subscribe(listener), onWarning }),
    }
    this.#events = events
    this.#stopListening = () => {
      writing.stop()
      onClose?.()
    }
  }

  thread<State>(id: string, options: ThreadOptions = {}): Thread<State> {
    const { namespace = '', lease, retention } = checkOptions('thread', options, THREAD)
    return new StoredThread<State>(this.#shared, id, namespace, {
      ...(lease ? { lease: leaseOf(id, lease) } : {}),
      ...(retention === undefined ? {} : { retention: storedThreadRules(retention) }),
    })
  }

  async *threads(given: ThreadsOptions = {}): AsyncGenerator<ThreadSummary> {
    const options = checkOptions('threads', given, THREADS)
    const { limit = Number.POSITIVE_INFINITY, order = 'latest', before, where, signal } = options
    checkLimit(limit)
    if (before !== undefined && Number.isNaN(timeOf(before))) throw invalid('before', 'a date')
    if (where !== undefined && typeof where !== 'function')
      throw invalid('where', 'a function that is given a summary, `({ id }) => …`')
    checkSignal(signal)
    if (order !== 'latest' && order !== 'oldest') throw invalid('order', "'latest' or 'oldest'")
    const found = this.#latestFirst(options)
    let left = limit
    if (left === 0) return
    for await (const summary of order === 'latest' ? found : reversed(found)) {
      yield summary
      if (--left === 0) return
    }
  }

  async *#latestFirst({ before, where, signal }: ThreadsOptions): AsyncGenerator<ThreadSummary> {
    // Ranks are whole milliseconds: what is lower than this by half of one came before.
    let after: ThreadsRequest['after'] = before && { rank: timeOf(before) - 0.5, thread: '' }
    for (;;) {
      signal?.throwIfAborted()
      const reply = await this.#shared.host.threads({ limit: THREADS_PAGE, ...(after ? { after } : {}) })
      for (const item of reply.items) {
        const summary = this.#summary(item)
        if (!where || where(summary)) yield summary
      }
      if (!reply.next) return
      after = reply.next
    }
  }

  #summary({ thread, createdAt, updatedAt, label, forkOf, head }: StoredSummary): ThreadSummary {
    return {
      id: thread,
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
      ...(label === undefined ? {} : { label }),
      ...(forkOf ? { forkOf } : {}),
      ...(head ? { head: toInfo(this.#shared.codec, { thread, namespace: '' }, head) } : {}),
    }
  }

  subscribe(listener: (event: CheckpointerEvent) => void): () => void {
    if (typeof (listener as unknown) !== 'function') throw invalid('listener', 'a function')
    this.#refuseWhenClosed()
    return this.#events.subscribe(listener)
  }

  async usage(options: UsageOptions = {}): Promise<Usage> {
    const given = checkOptions('usage', options, USAGE)
    checkSignal(given.signal)
    checkFunction('onProgress', given.onProgress)
    const stored = await countUsage(this.#shared.host, given)
    const [quota, persisted] = await Promise.all([quotaHere(), isPersisted()])
    return { ...stored, ...withoutUndefined({ quota, persisted }) }
  }

  async persist(): Promise<Persistence> {
    this.#refuseWhenClosed()
    return askToPersist()
  }

  async flush(): Promise<void> {
    this.#refuseWhenClosed()
    await this.#shared.saves.flush()
  }

  async verify(options: VerifyOptions = {}): Promise<Verification> {
    return verification(this.#shared.host, options)
  }

  async *export(
    ids?: string | readonly string[],
    options: ExportOptions = {},
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    this.#refuseWhenClosed()
    yield* exportBytes(this.#shared.host, ids, options)
  }

  async import(source: ImportSource, options: ImportOptions = {}): Promise<Imported> {
    this.#refuseWhenClosed()
    return importFrom(this.#shared.host, source, options)
  }

  close(): Promise<void> {
    const { host, saves } = this.#shared
    this.#closing ??= this.#finish(saves.close(), () => host.close())
    return this.#closing
  }

  async destroy(): Promise<void> {
    this.#refuseWhenClosed()
    const { host, saves } = this.#shared
    const ended = saves.close().catch(() => {})
    this.#closing = this.#finish(ended, () => host.destroy())
    return this.#closing
  }

  async #finish(saved: Promise<void>, end: () => Promise<void>): Promise<void> {
    const failed = await saved.then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    await this.#shared.leases.close()
    await Promise.allSettled(this.#pending)
    this.#events.close()
    this.#stopListening()
    await end()
    if (failed) throw failed.error
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw new CheckpointerError('CLOSED', 'This checkpointer is closed. Open it again.')
  }

  /** The host, with every call refused after `close`, and known to `close` until it is answered. */
  #watched(host: Host): Host {
    const pending = this.#pending
    const track = <T>(call: Promise<T>): Promise<T> => {
      pending.add(call)
      const done = (): void => void pending.delete(call)
      call.then(done, done)
      return call
    }
    const watched = (verb: Verb): unknown => {
      const run = host[verb].bind(host) as (request: unknown) => Promise<unknown>
      // The checkpointer itself ends the host, when nothing is pending any more.
      if (verb === 'close' || verb === 'destroy') return run
      return async (request: unknown) => {
        this.#refuseWhenClosed()
        return track(run(request))
      }
    }
    return Object.fromEntries(VERBS.map((verb) => [verb, watched(verb)])) as unknown as Host
  }
}
