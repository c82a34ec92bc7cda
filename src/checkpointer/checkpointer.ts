import type { CheckpointerEvent, ThreadSummary } from '../checkpoint.ts'
import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import type { Codec } from '../state/codec.ts'
import type { Claims } from '../tabs/claims.ts'
import { writingAs, type Durability } from './durability.ts'
import { exportBytes, type ExportOptions } from './carry/export.ts'
import { importFrom, type Imported, type ImportOptions } from './carry/import.ts'
import type { ImportSource } from './carry/source.ts'
import type { LeftBehind } from './left/left-behind.ts'
import { KnownStates } from './states/known-states.ts'
import { leaseOf, type Lease } from './leases/lease.ts'
import { Leases } from './leases/leases.ts'
import { withoutUndefined } from './options/without-undefined.ts'
import { checkFunction, checkOptions, checkSignal, invalid, type Names } from './options/options.ts'
import { listRuns, type RunsOptions } from './runs/list-runs.ts'
import { followOrphans, type OrphanOptions } from './runs/orphans.ts'
import type { RunInfo } from './runs/run-info.ts'
import { storedThreadRules, type ThreadRetention } from './removals/retention.ts'
import { askToPersist, isPersisted, quotaHere, type Persistence } from './upkeep/persistence.ts'
import { allOf } from './saving/writer.ts'
import type { Shared, WrittenBehind } from './threads/shared.ts'
import { listThreads, type ThreadsOptions } from './threads/list-threads.ts'
import type { EventSource } from '../tabs/events.ts'
import { OpenCalls } from './open-calls.ts'
import { StoredThread } from './stored-thread.ts'
import type { Thread } from './thread.ts'
import { countUsage, USAGE, type Usage, type UsageOptions } from './upkeep/usage.ts'
import { verification, type Verification, type VerifyOptions } from './upkeep/verification.ts'
import { UnsureCalls } from './unsure/unsure-calls.ts'

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
  /** The latest run of each thread and namespace, as it stands now: running, waiting for an answer, orphaned … */
  runs(options?: RunsOptions): AsyncIterable<RunInfo>
  /**
   * Tells of each run whose runner is gone, also of those that are there already: a tab that was closed, a service
   * worker that was stopped. Every handler is told, in every tab, once for each time that a runner goes; to take the
   * run over with `wait: false` decides who gets it. Call what it returns to stop.
   */
  onOrphan(handler: (run: RunInfo) => unknown, options?: OrphanOptions): () => void
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

type Listener = (event: CheckpointerEvent) => void

const THREAD: Names<ThreadOptions> = { namespace: true, lease: true, retention: true }
export class StoredCheckpointer implements Checkpointer {
  readonly #shared: Shared
  readonly #events: EventSource
  readonly #calls = new OpenCalls(() => this.#refuseWhenClosed())
  readonly #stopListening: () => void
  /** Aborted by the end: what runs here, or follows others, stops then. */
  readonly #closed = new AbortController()
  #closing: Promise<void> | undefined

  constructor({ host, codec, events, claims, durability, left, onWarning, onClose }: Parts) {
    const known = new KnownStates()
    const watch = (inner: Host): Host => this.#calls.watch(inner)
    const behind = new Set<WrittenBehind>()
    const hurry = (): void => behind.forEach((work) => work.hurry())
    const writing = writingAs(durability, host, watch, { known, left, onWarning, hurry })
    const { hearsAll = false } = events
    const news = { subscribe: (listener: Listener) => events.subscribe(listener), hearsAll, onWarning }
    this.#shared = {
      host: writing.host,
      codec,
      known,
      saves: writing.saves,
      unsure: new UnsureCalls(),
      leases: new Leases(claims, news),
      news,
      behind,
      closed: this.#closed.signal,
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

  threads(options: ThreadsOptions = {}): AsyncGenerator<ThreadSummary> {
    return listThreads(this.#shared, options)
  }

  runs(options: RunsOptions = {}): AsyncGenerator<RunInfo> {
    return listRuns(this.#shared, options)
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
    const { host, saves, behind } = this.#shared
    const beside = [...behind]
    await allOf([...beside.map((work) => work.flush()), saves.flush()])
    // Of what these have written, some could still be taken back by a crash of the machine.
    if (beside.length > 0) await host.flush()
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
    this.#closing ??= this.#close()
    return this.#closing
  }

  async destroy(): Promise<void> {
    this.#refuseWhenClosed()
    const { host, saves } = this.#shared
    this.#closed.abort(closed())
    const ended = saves.close().catch(() => {})
    this.#closing = this.#finish(ended, () => host.destroy())
    return this.#closing
  }

  async #close(): Promise<void> {
    const { host, saves, behind } = this.#shared
    // Runs may have done what is not in their journals yet.
    if (behind.size > 0) await Promise.allSettled([...behind].map((work) => work.flush()))
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

const closed = (): CheckpointerError =>
  new CheckpointerError('CLOSED', 'This checkpointer is closed. Open it again.')
