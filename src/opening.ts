import { StoredCheckpointer, type Checkpointer } from './checkpointer/checkpointer.ts'
import type { Durability, WritingAs } from './checkpointer/durability.ts'
import { later } from './checkpointer/later.ts'
import { deliverLeft, deliverWhenLeft, forgetting } from './checkpointer/left/deliver.ts'
import { leftBehind, type LeftBehind } from './checkpointer/left/left-behind.ts'
import { checkHost, checkIsObject, checkStorage, checkTypes } from './checkpointer/options/open-options.ts'
import {
  checkFunction,
  checkIdAt,
  checkOptions,
  invalid,
  type Names,
} from './checkpointer/options/options.ts'
import { storedPolicy } from './checkpointer/removals/retention.ts'
import { CheckpointerError } from './errors.ts'
import type { OpenOptions } from './open-checkpointer.ts'
import { locksHere } from './platform/locks.ts'
import type { Host } from './operations/host.ts'
import { part } from './part.ts'
import { createCodec } from './state/codec.ts'
import type { Claims } from './tabs/claims.ts'
import { hasChannels, localEvents, tabEvents, type Events } from './tabs/events.ts'
import { locksOf } from './tabs/locks-of.ts'
import { withLocksShown } from './tabs/shown-locks.ts'
import { warner } from './warner.ts'
import { witnessPlace } from './witness/places.ts'
import { witnessedHost } from './witness/witnessed-host.ts'
import { lastingHost } from './worker/lasting.ts'
import type { WorkerLike } from './worker/start.ts'
import type { OpenMessage } from './worker/wire.ts'

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

/** Puts the caller's side, a host and what tells of tabs together. `start` starts a worker, where one is wanted. */
export async function open(given: OpenOptions, start: (() => WorkerLike) | undefined): Promise<Checkpointer> {
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
  // Fetched while the store opens, so that neither waits for it, nor a later deployment takes it away.
  later().catch(() => {})
  const written = writing(durability)
  written.catch(() => {})
  const host = await openHost(options, { name, retention }, { events: local, left, onWarning, start })
  const heard = options.storage ? local : options.host?.events
  const [writingAs, events] = await orClose(options.host || options.storage ? undefined : host, async () => [
    await written,
    heard ?? (await eventsOf(name, host, onWarning)),
  ])
  const locks = locksFor(options)
  const claims = async (): Promise<Claims> => {
    const { beatClaims, lockClaims } = await later()
    return locks ? lockClaims(name, locks, host) : beatClaims(host, onWarning)
  }
  const shown = locks ? withLocksShown(host, locksOf(name, locks)) : host
  return new StoredCheckpointer({
    host: left ? forgetting(shown, left) : shown,
    codec,
    events,
    claims,
    writingAs,
    left,
    onWarning,
    isShared: options.host?.isShared ?? false,
    ...(left ? { onClose: deliverWhenLeft(host, left, onWarning) } : {}),
  })
}

async function writing(durability: Durability): Promise<WritingAs | undefined> {
  if (durability === 'sync') return undefined
  const { writingBehind } = await part(() => import('./checkpointer/writing-behind.ts'))
  return writingBehind(durability === 'exit')
}

const eventsOf = async (
  name: string,
  host: Host,
  onWarning: (warning: CheckpointerError) => void,
): Promise<Events> => (hasChannels() ? tabEvents(name) : (await later()).polledEvents(host, onWarning))

interface Around {
  readonly events: Events
  readonly left: LeftBehind | undefined
  readonly onWarning: (warning: CheckpointerError) => void
  readonly start: (() => WorkerLike) | undefined
}

async function openHost(
  { storage, host, worker = 'auto' }: OpenOptions,
  message: OpenMessage,
  { events, left, onWarning, start }: Around,
): Promise<Host> {
  if (host) return host
  // Loaded only where it is needed: a page with a worker does not carry the store's side.
  if (storage)
    return (await part(() => import('./worker/in-process.ts'))).storageHost(
      storage,
      events,
      onWarning,
      message.retention,
    )
  if (typeof indexedDB === 'undefined')
    throw new CheckpointerError(
      'UNSUPPORTED',
      "There is no IndexedDB here. Give a storage: `filesStorage` from 'forkpoint/storage/files', or that of a database; for tests, `storage: memoryStorage()` from 'forkpoint/storage/memory'.",
    )
  if (worker !== 'auto' && worker !== false && typeof worker !== 'function')
    throw invalid('worker', "'auto', false, or a function that gives a worker")
  const { name } = message
  const opened = await openIndexedDb(message, start, worker === 'auto', onWarning)
  return orClose(opened, async () => {
    // First, so that what is stored then is not missed.
    if (left) await deliverLeft(opened, left, onWarning)
    return witnessedHost(opened, { name, store: witnessPlace(name), onWarning })
  })
}

/** What was opened here, and will be nobody's, is closed again. */
async function orClose<T>(own: Host | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await own?.close().catch(() => {})
    throw error
  }
}

async function openIndexedDb(
  message: OpenMessage,
  start: (() => WorkerLike) | undefined,
  orHere: boolean,
  onWarning: (warning: CheckpointerError) => void,
): Promise<Host> {
  if (!start) return (await part(() => import('./worker/in-process.ts'))).indexedDbHost(message, onWarning)
  return lastingHost({ message, start, orHere, onWarning })
}

/** Locks reach as far as IndexedDB does; what else the rows are kept in may be shared more widely, or less. */
function locksFor({ storage, host }: OpenOptions): LockManager | undefined {
  return storage === undefined && host === undefined ? locksHere() : undefined
}
