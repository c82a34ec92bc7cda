import type { CheckpointerEvent, ThreadSummary } from '../checkpoint.ts'
import { CheckpointerError, closed } from '../errors.ts'
import { hearsAs } from '../hearing.ts'
import type { Host } from '../operations/host.ts'
import type { Codec } from '../state/codec.ts'
import type { Claims } from '../tabs/claims.ts'
import { writingAtOnce, type WritingAs } from './durability.ts'
import { hostOf, isOn } from './host-of.ts'
import type { ExportOptions } from './carry/export.ts'
import type { Imported, ImportOptions } from './carry/import.ts'
import type { ImportSource } from './carry/source.ts'
import { later, seldom } from './later.ts'
import type { LeftBehind } from './left/left-behind.ts'
import { KnownStates } from './states/known-states.ts'
import { leaseOf, type Lease } from './leases/lease.ts'
import { LeasesLater } from './leases/leases-later.ts'
import { withoutUndefined } from './options/without-undefined.ts'
import { checkOptions, invalid, type Names } from './options/options.ts'
import type { RunsOptions } from './runs/seen/list-runs.ts'
import { followOrphans, type OrphanOptions } from './runs/seen/follow-orphans.ts'
import type { RunInfo } from './runs/seen/run-info.ts'
import { storedThreadRules, type ThreadRetention } from './removals/retention.ts'
import type { Persistence } from './upkeep/persistence.ts'
import { allOf } from './saving/writer.ts'
import type { Shared, WrittenBehind } from './threads/shared.ts'
import { listThreads, type ThreadsOptions } from './threads/list-threads.ts'
import type { EventSource } from '../tabs/events.ts'
import type { Synced, SyncOptions } from './sync/options.ts'
import { OpenCalls } from './open-calls.ts'
import { StoredThread } from './stored-thread.ts'
import { untilAborted } from './until-aborted.ts'
import type { Thread } from './thread.ts'
import type { Usage, UsageOptions } from './upkeep/usage.ts'
import type { Verification, VerifyOptions } from './upkeep/verification.ts'
import { UnsureCalls } from './unsure/unsure-calls.ts'

/** How a handle on a thread differs from one that was given nothing. */
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

/** All that is kept under one name: threads, runs, and what is done to all of it. `openCheckpointer` gives one. */
export interface Checkpointer {
  /** A handle on a thread. Nothing is read or written until it is used. */
  thread<State = unknown>(id: string, options?: ThreadOptions): Thread<State>
  /** The threads, the latest first unless `order` says otherwise. */
  threads(options?: ThreadsOptions): AsyncIterable<ThreadSummary>
  /** The latest run of each thread and namespace, as it stands now: running, waiting for an answer, orphaned … */
  runs(options?: RunsOptions): AsyncIterable<RunInfo>
  /**
   * Tells of each run whose runner is gone, also of those that are there already: a tab that was closed, a service
   * worker that was stopped. Every handler is told, in every tab, once for each time that a runner goes; to take the
   * run over with `wait: false` decides who gets it. Call what it returns to stop.
   */
  onOrphan(handler: (run: RunInfo) => unknown, options?: OrphanOptions): () => void
  /**
   * Hears of every change: over IndexedDB from any tab, without BroadcastChannel of less; with a `storage` of what this
   * checkpointer does alone. Call what it returns to stop.
   */
  subscribe(listener: (event: CheckpointerEvent) => void): () => void
  /**
   * For what holds states back, to save the last of many: `hurry` saves them before it returns, and is called when the
   * page goes, or may go; `flush` is called by `flush` and `close`. Call what it returns to end that.
   */
  holdsBack(work: WrittenBehind): () => void
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
  /**
   * Brings this store and another one together: each gets the checkpoints that it lacks, and loses what was removed from
   * the other. When both have gone on with a thread, it has several heads after that. Cut off, it goes on when it is
   * called again.
   */
  sync(remote: Checkpointer, options?: SyncOptions): Promise<Synced>
  /** Waits for what is under way, then lets go of the storage. */
  close(): Promise<void>
  /** Deletes everything under this name (with a `storage`: everything in it), and closes. */
  destroy(): Promise<void>
}

/** What a checkpointer is made of. */
interface Parts {
  readonly host: Host
  readonly codec: Codec
  readonly events: EventSource
  /** Asked for with the first lease. */
  readonly claims: () => Promise<Claims>
  /** When a save resolves: at once durable, unless it says otherwise. */
  readonly writingAs?: WritingAs | undefined
  readonly left?: LeftBehind | undefined
  /** Others have the same store, so that it is not to be destroyed from here. */
  readonly isShared?: boolean
  /** Ends what goes on beside the calls. */
  readonly onClose?: () => void
  readonly onWarning: (warning: CheckpointerError) => void
}

type Listener = (event: CheckpointerEvent) => void

const THREAD: Names<ThreadOptions> = { namespace: true, lease: true, retention: true }
export class StoredCheckpointer implements Checkpointer {
  readonly #shared: Shared
  readonly #events: EventSource
  readonly #held = new Set<WrittenBehind>()
  readonly #calls = new OpenCalls(() => this.#refuseWhenClosed())
  readonly #stopListening: () => void
  readonly #isShared: boolean
  /** Aborted by the end: what runs here, or follows others, stops then. */
  readonly #closed = new AbortController()
  #closing: Promise<void> | undefined

  constructor(parts: Parts) {
    const { host, codec, events, claims, writingAs = writingAtOnce, left, onWarning, onClose } = parts
    this.#isShared = parts.isShared ?? false
    const known = new KnownStates()
    const watch = (inner: Host): Host => this.#calls.watch(inner)
    const behind = new Set<WrittenBehind>()
    const hurry = (): void => behind.forEach((work) => work.hurry())
    const saveHeld = (): void => this.#held.forEach((work) => work.hurry())
    const writing = writingAs(host, watch, { known, left, onWarning, saveHeld, hurry })
    const { hearsAll = false } = events
    const subscribe = (listener: Listener): (() => void) => events.subscribe(listener)
    const onGap = (listener: () => void): (() => void) => events.onGap?.(listener) ?? (() => {})
    const news = { subscribe, onGap, hearsAll, onWarning }
    this.#shared = {
      host: writing.host,
      codec,
      known,
      saves: writing.saves,
      unsure: new UnsureCalls(),
      leases: new LeasesLater(async () => {
        const { Leases } = await later()
        return new Leases(await claims(), news)
      }),
      news,
      behind,
      closed: this.#closed.signal,
    }
    isOn(this, writing.host)
    hearsAs(this, { onGap, hearsAll })
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

  threads(options: ThreadsOptions = {}): AsyncGenerator<ThreadSummary> {
    return listThreads(this.#shared, options)
  }

  async *runs(options: RunsOptions = {}): AsyncGenerator<RunInfo> {
    yield* (await later()).listRuns(this.#shared, options)
  }

  onOrphan(handler: (run: RunInfo) => unknown, options: OrphanOptions = {}): () => void {
    this.#refuseWhenClosed()
    return followOrphans(this.#shared, handler, options)
  }

  subscribe(listener: (event: CheckpointerEvent) => void): () => void {
    if (typeof (listener as unknown) !== 'function') throw invalid('listener', 'a function')
    this.#refuseWhenClosed()
    return this.#events.subscribe(listener)
  }

  holdsBack(work: WrittenBehind): () => void {
    for (const name of ['hurry', 'flush'] as const)
      if (typeof (work as Partial<WrittenBehind> | undefined)?.[name] !== 'function')
        throw invalid(`work.${name}`, 'a function')
    this.#refuseWhenClosed()
    this.#held.add(work)
    return () => void this.#held.delete(work)
  }

  async usage(options: UsageOptions = {}): Promise<Usage> {
    const { countUsage, isPersisted, quotaHere } = await later()
    const stored = await countUsage(this.#shared.host, options)
    const [quota, persisted] = await Promise.all([quotaHere(), isPersisted()])
    return { ...stored, ...withoutUndefined({ quota, persisted }) }
  }

  async persist(): Promise<Persistence> {
    this.#refuseWhenClosed()
    return (await later()).askToPersist()
  }

  async flush(): Promise<void> {
    this.#refuseWhenClosed()
    const { host, saves, behind } = this.#shared
    const beside = [...behind]
    // What was held back is saved first: the saves wait for it too.
    const works = [...this.#held, ...beside]
    await allOf([...works.map((work) => work.flush()), saves.flush()])
    // Of what these have written, some could still be taken back by a crash of the machine.
    if (beside.length > 0) await host.flush()
  }

  async verify(options: VerifyOptions = {}): Promise<Verification> {
    return (await seldom()).verification(this.#shared.host, options)
  }

  async *export(
    ids?: string | readonly string[],
    options: ExportOptions = {},
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    this.#refuseWhenClosed()
    yield* (await seldom()).exportBytes(this.#shared.host, ids, options)
  }

  async import(source: ImportSource, options: ImportOptions = {}): Promise<Imported> {
    this.#refuseWhenClosed()
    return (await seldom()).importFrom(this.#shared.host, source, options)
  }

  async sync(remote: Checkpointer, options: SyncOptions = {}): Promise<Synced> {
    this.#refuseWhenClosed()
    const theirs = hostOf(remote, 'The other side of a sync', 'remote')
    const { syncAsked, syncStores } = await seldom()
    const asked = syncAsked(options)
    const own = { host: this.#shared.host, store: this }
    // One that is left alone in the middle has done whole steps, and the next one goes on.
    return untilAborted(asked.signal, async () => {
      // Both with what waits to be written.
      await Promise.all([this.flush(), remote.flush()])
      return syncStores(own, { host: theirs, store: remote }, asked)
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async destroy(): Promise<void> {
    this.#refuseWhenClosed()
    if (this.#isShared)
      throw new CheckpointerError(
        'UNSUPPORTED',
        'Others have this store too: destroy it where it is served.',
        { outcome: 'none' },
      )
    const { host, saves } = this.#shared
    this.#closed.abort(closed())
    const ended = saves.close().catch(() => {})
    const ending = this.#finish(ended, () => host.destroy())
    // What could not be destroyed is let go of all the same; if that fails too, whoever closes is told.
    this.#closing = ending.catch(() => host.close())
    this.#closing.catch(() => {})
    return ending
  }

  async #close(): Promise<void> {
    const { host, saves, behind } = this.#shared
    // Runs may have done what is not in their journals yet. What fails here, these tell in ways of their own.
    const works = [...this.#held, ...behind]
    if (works.length > 0) await Promise.allSettled(works.map((work) => work.flush()))
    this.#closed.abort(closed())
    await this.#finish(saves.close(), () => host.close())
  }

  async #finish(saved: Promise<void>, end: () => Promise<void>): Promise<void> {
    const failed = await saved.then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    await this.#shared.leases.close()
    await this.#calls.settled()
    this.#events.close()
    this.#stopListening()
    await end()
    if (failed) throw failed.error
  }

  #refuseWhenClosed(): void {
    if (this.#closed.signal.aborted) throw closed()
  }
}
