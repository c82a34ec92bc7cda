import { CheckpointerError } from '../../errors.ts'
import { partitionOf, threadKey } from '../../storage/keys.ts'
import type { Check } from '../../storage/storage.ts'
import type { Place } from '../host.ts'
import { openThread, type ThreadRow } from '../rows/thread-row.ts'
import type { Store } from './store.ts'
import type { CachedThread } from './thread-cache.ts'

/** The row of a thread's namespace, fresh from the storage. */
export async function readThread(store: Store, place: Place): Promise<ThreadRow | undefined> {
  const found = await findThread(store, place)
  const known = store.threads.get(place)
  // The same row: what is known beside it stays.
  if (found && found.version === known?.version) return known
  if (found) store.threads.set(place, found)
  else store.threads.forget(place.thread)
  return found
}

async function findThread(store: Store, place: Place): Promise<ThreadRow | undefined> {
  const found = await store.storage.locate(threadKey(place.thread, place.namespace))
  return found && openThread(found.partition, found.row)
}

/** The row as last seen from here, or else read. */
export async function recallThread(store: Store, place: Place): Promise<CachedThread | undefined> {
  if (!store.threads.get(place)) await readThread(store, place)
  return store.threads.get(place)
}

/** Where a new namespace or thread is to live: beside what the thread already has, or in a partition of its own. */
export async function partitionFor(store: Store, thread: string): Promise<string> {
  const root = await store.storage.locate(threadKey(thread, ''))
  return root?.partition ?? partitionOf(thread)
}

/** The row of a thread's namespace, or `NOT_FOUND`. */
export async function needThread(store: Store, place: Place): Promise<ThreadRow> {
  const found = await readThread(store, place)
  if (!found) throw noThread(place)
  return found
}

export const noThread = ({ thread, namespace }: Place): CheckpointerError =>
  new CheckpointerError('NOT_FOUND', `There is no thread ${describe({ thread, namespace })}.`, {
    thread,
    namespace,
  })

export const describe = ({ thread, namespace }: Place): string =>
  namespace === '' ? `'${thread}'` : `'${thread}' with the namespace '${namespace}'`

export const checkThread = ({ facts, version }: ThreadRow): Check => ({
  table: 'threads',
  key: threadKey(facts.thread, facts.namespace),
  version,
})
