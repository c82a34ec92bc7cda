import type { Checkpointer } from './checkpointer/checkpointer.ts'
import type { Durability } from './checkpointer/durability.ts'
import type { RetentionPolicy } from './checkpointer/removals/retention.ts'
import type { CheckpointerError } from './errors.ts'
import type { Host } from './operations/host.ts'
import { part } from './part.ts'
import type { TypeRegistration } from './state/types.ts'
import type { Storage } from './storage/storage.ts'
import type { EventSource } from './tabs/events.ts'
import { startEarly } from './worker/early.ts'
import { startWorker, type WorkerLike } from './worker/start.ts'

/** A host that is made elsewhere; what it tells of changes, if it does. */
export interface GivenHost extends Host {
  /** Others have the same store: `destroy()` is refused. Its `close` lets go of no more than this way to it. */
  readonly isShared?: true
  /** Tells of changes; none are told when absent. */
  readonly events?: EventSource | undefined
}

/** What `openCheckpointer` is given: a name, and how it differs from IndexedDB behind a worker. */
export interface OpenOptions {
  /**
   * Names the IndexedDB database: all tabs that use it share that. With a `storage` or a `host` it keeps nothing
   * apart.
   */
  readonly name: string
  /** Where rows are kept. IndexedDB when absent. `close` of the checkpointer closes it too, for good. */
  readonly storage?: Storage | undefined
  /** The store's side, if it is one already made: a remote one, say. */
  readonly host?: GivenHost | undefined
  /**
   * Where the store's side runs. `'auto'` (default): in the worker that comes with the package, or in this thread
   * where workers are refused. `false`: in this thread, as in a service worker. Or a function that gives a Worker,
   * a SharedWorker's port or another endpoint on which the worker script of this package listens; it is called
   * again for a new one when that was lost.
   */
  readonly worker?: 'auto' | false | (() => WorkerLike) | undefined
  /**
   * When a save resolves. `sync` (default): when it is durable. `async`: when its state is captured; it is written
   * behind, many in one transaction. `exit`: the same, and only the last state is written, by `flush`, `close` or
   * the end of the page.
   */
  readonly durability?: Durability | undefined
  /** Classes and kinds of values of your own that states hold. */
  readonly types?: readonly TypeRegistration[] | undefined
  /** What every thread lets go by itself, in the background, unless it says otherwise. Nothing when absent. */
  readonly retention?: RetentionPolicy | false | undefined
  /** Told of what no call can be rejected with. The console when absent. */
  readonly onWarning?: ((warning: CheckpointerError) => void) | undefined
}

/**
 * Opens a checkpointer; the database is made when it does not exist yet. All that this takes is loaded now: an app
 * that has this function in its first bundle has no more than this function there.
 */
export async function openCheckpointer(options: OpenOptions): Promise<Checkpointer> {
  const start = startOf(options)
  const early = start && startEarly(start)
  try {
    const { open } = await part(() => import('./opening.ts'))
    return await open(options, early?.take)
  } finally {
    early?.end()
  }
}

/** What starts a worker, if one is wanted, as far as can be told before the options are checked. */
function startOf(options: OpenOptions): (() => WorkerLike) | undefined {
  try {
    const { storage, host, worker = 'auto' } = options
    if (!storage && !host && typeof indexedDB !== 'undefined')
      return worker === 'auto' ? startWorker : worker || undefined
  } catch {
    // Whoever checks them tells.
  }
  return undefined
}
