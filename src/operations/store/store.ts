import { CheckpointerError } from '../../errors.ts'
import { escapeId, partitionOf, threadKey } from '../../storage/keys.ts'
import type { Check, SessionReport, Storage } from '../../storage/storage.ts'
import type { Place, Publish } from '../host.ts'
import type { CheckpointFacts } from '../rows/checkpoint-row.ts'
import { openThread, type ThreadFacts, type ThreadRow } from '../rows/thread-row.ts'
import type { Line } from './line.ts'

/** What every verb works on. */
export interface Store {
  readonly storage: Storage
  readonly publish: Publish
  /** For what no caller can be told by a rejection. */
  readonly warn: (warning: CheckpointerError) => void
  readonly threads: ThreadCache
  /** Which database this is, when its row can be read, and how the sessions before this one have ended. */
  readonly claim: {
    readonly database: string | undefined
    /** It was taken away since, and may be another one by now. */
    readonly isDoubted: boolean
    /** A newer version has written it: nothing is changed in it. */
    readonly isReadOnly: boolean
    session(): Promise<SessionReport | undefined>
  }
  /** Heads are remembered outside of the database: then what is deleted on purpose is written down. */
  readonly isWitnessed: boolean
  /** Runs what changes one namespace of a thread one after the other, so that our own writers never collide. */
  readonly inTurn: <T>(place: Place, work: () => Promise<T>) => Promise<T>
  /** The lease under which the writes of this verb stand, if any. */
  readonly fence?: Fence
  /** How many more signs of life each lease held here gets without being asked for. */
  readonly beats: Map<string, number>
  /** Does something soon, beside what callers wait for; a failure is reported and harms nothing. */
  readonly background: (work: () => Promise<void>) => void
  readonly keeper: Keeper
  readonly line: Line
}

/** Lets old checkpoints go by itself, where that was asked for: see retention/. */
export interface Keeper {
  /** After so many saves in one commit: the thread as it now is. */
  saved(thread: ThreadFacts, count: number): void
  /** After a commit: so many bytes were put into this partition. */
  put(partition: string, bytes: number): void
  /**
   * The storage has no room for a save to this place, which waits: lets go now what else would go later. Whether
   * that has freed anything.
   */
  makeRoom(place: Place): Promise<boolean>
}

/** A lease's row as it must be when something is written under it. */
interface Fence {
  readonly thread: string
  readonly check: Check
  /** The same without it. */
  readonly store: Store
}

/** The store itself, for what outlasts a verb. */
export const plain = (store: Store): Store => store.fence?.store ?? store

/** Rows of `threads` as last seen. Only a hint: every commit checks the version. */
export class ThreadCache {
  static readonly #most = 256
  readonly #rows = new Map<string, CachedThread>()

  get(place: Place): CachedThread | undefined {
    return this.#rows.get(placeText(place))
  }

  set(place: Place, thread: ThreadRow, lineage: Lineage = { links: new Map() }): void {
    const text = placeText(place)
    this.#rows.delete(text)
    this.#rows.set(text, { ...thread, lineage })
    if (this.#rows.size > ThreadCache.#most) this.#rows.delete(this.#rows.keys().next().value as string)
  }

  setFamily(place: Place, family: FamilyRow): void {
    const known = this.get(place)
    if (known) this.#rows.set(placeText(place), { ...known, family })
  }

  /** A row that came by the way. Takes the place of no other: beside those stands how their saves hang together. */
  hint(thread: ThreadRow): void {
    if (this.#rows.size < ThreadCache.#most && !this.get(thread.facts)) this.set(thread.facts, thread)
  }

  clear(): void {
    this.#rows.clear()
  }

  forget(thread: string): void {
    for (const text of this.#rows.keys()) if (text.startsWith(`${escapeId(thread)}:`)) this.#rows.delete(text)
  }
}

export interface CachedThread extends ThreadRow {
  readonly lineage: Lineage
  /** As a fork of it has left that row. */
  readonly family?: FamilyRow
}

/** The row of a family: see family.ts. */
export interface FamilyRow {
  readonly version: string | undefined
  /** Lanes in which rows may be left that nobody shows: a removal too large for one commit was under way. */
  readonly sweep: readonly string[]
  /** Other stores may have what is here: what is removed is written down, so that it does not come back. */
  readonly isSynced: boolean
  /** What a later version may have written beside: it stays. */
  readonly beside: object
}

/** How the checkpoints that were saved from here hang together. */
export interface Lineage {
  /** By seq: which seq each one's delta starts from, and what it weighs. */
  readonly links: Map<number, { readonly base: number; readonly size: number }>
  /** The last one that was rewritten as a keyframe. */
  readonly keyframe?: CheckpointFacts
  /** What the state was found to weigh since then, and its chain when that was found. */
  readonly weighed?: { readonly weight: number; readonly chain: number }
}

export const placeText = ({ thread, namespace }: Place): string =>
  `${escapeId(thread)}:${escapeId(namespace)}`

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

/** A thread's row is not as it was last seen from here. No damage: so nobody who passes over damage may pass over it. */
class Changed extends Error {}

function ifChangedOrDamaged(error: unknown): undefined {
  return error instanceof Changed ? undefined : ifDamaged(error)
}

/** What rows are read through. */
export interface Rows {
  readonly storage: Pick<Storage, 'read'>
}

/**
 * Reads a thread's row, and by it other rows, all of them through what is given. First by the row as last seen from here, which
 * every read sees again beside what it leads to: a round trip less, when nobody has changed it since.
 */
export async function readPlace<T>(
  store: Store,
  place: Place,
  read: (thread: ThreadRow, rows: Rows) => Promise<T>,
): Promise<T | undefined> {
  const seen = store.threads.get(place)
  const own = { table: 'threads', keys: [threadKey(place.thread, place.namespace)] } as const
  const readBeside: Storage['read'] = async (partition, queries) => {
    const [rows, ...found] = await store.storage.read(partition, [own, ...queries])
    // What it leads to may be gone.
    if (rows?.[0]?.version !== seen?.version) throw new Changed()
    return found
  }
  const found = seen && (await read(seen, { storage: { read: readBeside } }).catch(ifChangedOrDamaged))
  return found ?? readWhole(store, place, (thread) => read(thread, store))
}

/** How often a reading starts over because another writer changed the thread between its reads. */
const TRIES = 5

/**
 * Reads a thread's row, and by it other rows. A removal between the two looks like damage; damage is still there
 * when nothing has changed meanwhile.
 */
export async function readWhole<T>(
  store: Store,
  place: Place,
  read: (thread: ThreadRow) => Promise<T>,
  seemsDamaged: (found: T) => boolean = () => false,
): Promise<T | undefined> {
  for (let tried = 1; ; tried++) {
    const thread = await readThread(store, place)
    if (!thread) return undefined
    const isSure = async (): Promise<boolean> =>
      tried === TRIES || (await readThread(store, place))?.version === thread.version
    try {
      const found = await read(thread)
      if (!seemsDamaged(found) || (await isSure())) return found
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT') || (await isSure())) throw error
    }
  }
}

/** Of a row: it is damaged, or of a later version. */
export const isUnread = (error: unknown): error is CheckpointerError =>
  CheckpointerError.is(error, 'CORRUPT') || CheckpointerError.is(error, 'FORMAT_TOO_NEW')

/** What reading gives, or nothing where a row is either: for those who only look. */
export function unlessUnread<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return ifUnread(error)
  }
}

/** The same, to catch what a promise rejects with. */
export function ifUnread(error: unknown): undefined {
  if (!isUnread(error)) throw error
}

/** What reading gives, or nothing where the row is damaged: for those who can go on without it. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return ifDamaged(error)
  }
}

/** The same, to catch what a promise rejects with. */
export function ifDamaged(error: unknown): undefined {
  if (!CheckpointerError.is(error, 'CORRUPT')) throw error
}
