import type { CheckpointerError } from '../../errors.ts'
import type { Check, SessionReport, Storage } from '../../storage/storage.ts'
import type { Place, Publish } from '../host.ts'
import type { ThreadFacts } from '../rows/thread-row.ts'
import type { Line } from './line.ts'
import type { ThreadCache } from './thread-cache.ts'

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
  /**
   * By thread, how many more signs of life its lease gets without being asked for. By thread and not by lease, as the
   * caller of one has no say in another.
   */
  readonly beats: Map<string, { readonly lease: string; readonly left: number }>
  /** What is to be ended before the store closes, by those who have begun it. */
  readonly endings: Set<() => Promise<void>>
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
