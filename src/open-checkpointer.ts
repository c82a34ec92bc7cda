import { StoredCheckpointer, type Checkpointer } from './checkpointer/checkpointer.ts'
import type { Durability } from './checkpointer/durability.ts'
import { checkHost, checkIsObject, checkStorage, checkTypes } from './checkpointer/options/open-options.ts'
import {
  checkFunction,
  checkIdAt,
  checkOptions,
  invalid,
  type Names,
} from './checkpointer/options/options.ts'
import { deliverLeft, deliverWhenLeft, forgetting } from './checkpointer/left/deliver.ts'
import { leftBehind, type LeftBehind } from './checkpointer/left/left-behind.ts'
import { storedPolicy, type RetentionPolicy } from './checkpointer/removals/retention.ts'
import { CheckpointerError, reportFailure } from './errors.ts'
import type { Host } from './operations/host.ts'
import { createCodec } from './state/codec.ts'
import type { TypeRegistration } from './state/types.ts'
import type { Storage } from './storage/storage.ts'
import { beatClaims } from './tabs/beat-claims.ts'
import type { Claims } from './tabs/claims.ts'
import { hasChannels, localEvents, tabEvents, type Events } from './tabs/events.ts'
import { lockClaims } from './tabs/lock-claims.ts'
import { polledEvents } from './tabs/polled-events.ts'
import { witnessPlace } from './witness/places.ts'
import { witnessedHost } from './witness/witnessed-host.ts'
import { lastingHost } from './worker/lasting.ts'
import { startWorker, type WorkerLike } from './worker/start.ts'
import type { OpenMessage } from './worker/wire.ts'

export interface OpenOptions {
  /** Names the database. All tabs that use the same name share it. */
  readonly name: string
  /** Where rows are kept. IndexedDB when absent. */
  readonly storage?: Storage | undefined
  /** The store's side, if it is one already made: a remote one, say. */
  readonly host?: Host | undefined
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

const OPEN: Names<OpenOptions> = {
  name: true,
  storage: true,
  host: true,
  worker: true,
  durability: true,
  types: true,
  retention: true,
  onWarning: true,
}

/** Opens a checkpointer; the database is made when it does not exist yet. */
export async function openCheckpointer(given: OpenOptions): Promise<Checkpointer> {
  checkIsObject(given)
  const options = checkOptions('openCheckpointer', given, OPEN)
  const { name, durability = 'sync', types } = options
  checkIdAt('name', 'The name of a checkpointer', name)
  checkStorage(options.storage)
  checkHost(options.host)
  checkTypes(types)
  checkFunction('onWarning', options.onWarning)
  const onWarning = warner(options.onWarning)
  if (durability !== 'sync' && durability !== 'async' && durability !== 'exit')
    throw invalid('durability', "'sync', 'async' or 'exit'")
  const retention = options.retention === undefined ? undefined : storedPolicy(options.retention)
  if (options.host && retention)
    throw invalid('retention', 'given to whoever makes the host: it works on that side')
  const codec = createCodec(types)
  // A host in this thread and the checkpointer are two ends of one emitter; over IndexedDB each has a channel.
  const local = localEvents()
  const left = options.storage || options.host ? undefined : leftBehind(name)
  const host = await openHost(options, { name, retention }, { events: local, left, onWarning })
  const events = options.storage ? local : eventsOf(name, host, onWarning)
  const claims = claimsOn(host, options, onWarning)
  return new StoredCheckpointer({
    host: left ? forgetting(host, left) : host,
    codec,
    events,
    claims,
    durability,
    left,
    onWarning,
    ...(left ? { onClose: deliverWhenLeft(host, left, onWarning) } : {}),
  })
}

/** What the caller's function throws is reported as the failure of any event handler is, and ends nothing here. */
function warner(tell: OpenOptions['onWarning']): (warning: CheckpointerError) => void {
  return (warning) => {
    try {
      if (tell) tell(warning)
      else console.warn(warning)
    } catch (error) {
      reportFailure(error)
    }
  }
}

const eventsOf = (name: string, host: Host, onWarning: (warning: CheckpointerError) => void): Events =>
  hasChannels() ? tabEvents(name) : polledEvents(host, onWarning)

interface Around {
  readonly events: Events
  readonly left: LeftBehind | undefined
  readonly onWarning: (warning: CheckpointerError) => void
}

async function openHost(
  { storage, host, worker = 'auto' }: OpenOptions,
  message: OpenMessage,
  { events, left, onWarning }: Around,
): Promise<Host> {
  if (host) return host
  // Loaded only where it is needed: a page with a worker does not carry the store's side.
  if (storage)
    return (await import('./worker/in-process.ts')).storageHost(storage, events, onWarning, message.retention)
  if (typeof indexedDB === 'undefined')
    throw new CheckpointerError(
      'UNSUPPORTED',
      "There is no IndexedDB here. Give a storage: `storage: memoryStorage()` from 'forkpoint/storage/memory'.",
    )
  if (worker !== 'auto' && worker !== false && typeof worker !== 'function')
    throw invalid('worker', "'auto', false, or a function that gives a worker")
  const { name } = message
  const opened = await openIndexedDb(message, worker, onWarning)
  // First, so that what is stored then is not missed.
  if (left) await deliverLeft(opened, left, onWarning)
  return witnessedHost(opened, { name, store: witnessPlace(name), onWarning })
}

async function openIndexedDb(
  message: OpenMessage,
  worker: 'auto' | false | (() => WorkerLike),
  onWarning: (warning: CheckpointerError) => void,
): Promise<Host> {
  if (worker === false) return (await import('./worker/in-process.ts')).indexedDbHost(message, onWarning)
  const isOurs = worker === 'auto'
  return lastingHost({ message, start: isOurs ? startWorker : worker, orHere: isOurs, onWarning })
}

/** Locks reach as far as IndexedDB does; what else the rows are kept in may be shared more widely, or less. */
function claimsOn(
  host: Host,
  { name, storage, host: given }: OpenOptions,
  onWarning: (warning: CheckpointerError) => void,
): Claims {
  const locks = globalThis.navigator?.locks as LockManager | undefined
  const isShared = storage === undefined && given === undefined
  return locks && isShared ? lockClaims(name, locks, host) : beatClaims(host, onWarning)
}
