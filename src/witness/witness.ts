import { CheckpointerError, isTaken } from '../errors.ts'
import type { Host, Place } from '../operations/host.ts'
import { part } from '../part.ts'
import { unref } from '../platform/unref.ts'
import type { Comparing } from './compare.ts'
import { Heads, MOST_THREADS } from './heads.ts'
import { securing } from './securing.ts'

export interface WitnessOptions extends Comparing {
  readonly host: Comparing['host'] & Pick<Host, 'head'>
  readonly pace?: Pace
}

/** In milliseconds. */
interface Pace {
  /** How long a head may wait to be written down. */
  readonly behind: number
  /** Between two looks at what is there, so that the first saves are not held up. */
  readonly between: number
}

const PACE: Pace = { behind: 1_000, between: 20 }
const TOLD = ['CLOSED', 'EVICTED', 'BLOCKED', 'WORKER_LOST'] as const

/**
 * Remembers, outside of the database, which database there was and how far each thread had come. What it claims
 * was acknowledged; it may lag behind. When the database is opened it is compared with that, in the background: an
 * empty database looks like a new one, and only this tells the two apart.
 */
export class Witness {
  readonly #options: WitnessOptions
  readonly #pace: Pace
  readonly #heads = new Heads()
  /** Known when all has been compared. Until then nothing is written down, so that nothing missing is forgotten. */
  #database: string | undefined
  #comparing: Promise<void>
  #secured: () => Promise<void>
  /** Another one when the database may be; and since when. */
  #era = 0
  #since = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false
  readonly #destroyed = new Set<string>()

  constructor(options: WitnessOptions) {
    this.#options = options
    this.#pace = options.pace ?? PACE
    const identity = this.#identify()
    this.#secured = securing(options.store, () => identity)
    this.#comparing = this.#compare(identity)
  }

  /** To be waited for with each change before it is acknowledged. */
  secured(): Promise<void> {
    return this.#secured()
  }

  /** Asked at once, so that what is saved meanwhile is known to be saved to this one. */
  #identify(): ReturnType<WitnessOptions['host']['reconcile']> {
    const identity = this.#options.host.reconcile({ heads: [] })
    identity.catch(() => undefined)
    return identity
  }

  /** The head was acknowledged; the save was asked for at this time. */
  note(place: Place, seq: number, at: number): void {
    if (!this.#options.store || this.#closed || at < this.#since) return
    this.#heads.note(place, seq, at)
    this.doubt()
  }

  /**
   * Threads that have come to be whole, in one commit each, which was asked for at this time: so their roots stand for
   * all of their namespaces.
   */
  async noteWhole(threads: readonly string[], at: number): Promise<void> {
    const { host, store } = this.#options
    if (!store) return
    const places = threads.slice(-MOST_THREADS).map((thread) => ({ thread, namespace: '' }))
    // They are there, whether or not anybody can say so now.
    const replies = await Promise.all(places.map((place) => host.head(place).catch(() => undefined)))
    for (const [i, place] of places.entries()) {
      const head = replies[i]?.head
      if (head) this.note(place, head.seq, at)
    }
  }

  /** Soon writes down what waits, and sees whether the database is still the same. */
  doubt(): void {
    if (this.#closed) return
    this.#timer ??= later(() => void this.#writeSoon(), this.#pace.behind)
  }

  /**
   * A call was told that the database was taken away. What was acknowledged until now was in that one, what is asked for
   * from here on is in the one that comes in its place.
   */
  taken(): void {
    if (this.#closed) return
    void this.rest()
    this.#beginAnew()
    this.doubt()
  }

  /** The thread was deleted on purpose. */
  forget(thread: string): void {
    this.#heads.forget(thread)
    if (this.#database !== undefined) void this.#options.store?.drop([thread], this.#database)
  }

  /** Resolves when what was remembered has been compared with what is there. */
  compared(): Promise<void> {
    return this.#comparing
  }

  /** Writes down what waits; into `localStorage` before it returns. */
  async rest(): Promise<void> {
    const { store } = this.#options
    if (!store || this.#database === undefined || this.#heads.isWritten) return
    const surplus = this.#heads.takeSurplus()
    const writing = store.put(this.#heads.takeUnwritten(this.#database))
    if (surplus.length > 0) await store.drop(surplus, this.#database)
    await writing
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#comparing
    await this.rest()
  }

  /** Around the destruction of the database: nobody is to miss it, nor what a tab writes down too late. */
  async gone(): Promise<void> {
    const { host, store } = this.#options
    if (!store) return
    // What is destroyed is what is there now, and that may be another one than this tab has known.
    const now = await host.reconcile({ heads: [] }).catch(() => undefined)
    const { threads, made } = await store.read()
    for (const { database } of threads.values()) this.#destroyed.add(database)
    for (const database of made.keys()) this.#destroyed.add(database)
    for (const database of [this.#database, now?.database])
      if (database !== undefined) this.#destroyed.add(database)
    await store.markGone([...this.#destroyed])
    for (const database of this.#destroyed) await store.drop([...threads.keys()], database)
  }

  async #writeSoon(): Promise<void> {
    await this.#comparing
    this.#timer = undefined
    if (this.#closed) return
    const era = this.#era
    // The browser may have closed the database since, and what was opened again may be another one.
    const asked = this.#identify()
    const now = await asked.catch((error: unknown) => this.#takenUnheard(error))
    if (era !== this.#era) return
    if (!now || now.database === this.#database) return this.rest()
    // Nobody was told here, so nobody knows which of the two it is that was saved to.
    if (this.#database !== undefined) this.#beginAnew()
    this.#comparing = this.#compare(asked)
  }

  #beginAnew(): void {
    this.#era++
    this.#since = Date.now()
    this.#heads.clear()
    this.#database = undefined
    // Asked beside the first change and not before: a call that comes first may be told in its place.
    this.#secured = securing(this.#options.store, () => this.#identify())
  }

  /** No call may be told of it any more; what is there instead is looked at soon. */
  #takenUnheard(error: unknown): void {
    if (this.#closed || !isTaken(error)) return
    this.#options.onWarning(error)
    this.taken()
  }

  async #compare(asked: ReturnType<WitnessOptions['host']['reconcile']>): Promise<void> {
    const era = this.#era
    this.#database = undefined
    try {
      const [{ compare }, identity] = await Promise.all([part(() => import('./compare.ts')), asked])
      // Then the first saves go first. Whoever closes waits for this.
      await pause(0)
      const between = (): Promise<void> => pause(this.#closed ? 0 : this.#pace.between)
      const compared = await compare(this.#options, identity, between)
      if (!compared || era !== this.#era) return
      this.#database = compared.database
      this.#heads.recall(compared.threads)
    } catch (error) {
      // What was saved meanwhile may have been saved to another one.
      if (era === this.#era) this.#beginAnew()
      // What was missed is told, and cannot be written down here: it is told again.
      if (CheckpointerError.is(error, 'FORMAT_TOO_NEW')) return
      // Of these the calls are told.
      if (TOLD.some((code) => CheckpointerError.is(error, code))) return this.doubt()
      const message = `What had been saved could not be compared with what is there. ${String(error)}`
      this.#options.onWarning(new CheckpointerError('FAILED', message, { cause: error }))
    }
  }
}

function later(work: () => void, after: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(work, after)
  unref(timer)
  return timer
}

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time))
