import type { IDBPTransaction } from 'idb'
import { CheckpointerError } from '../../errors.ts'
import { whenKept } from '../../platform/kept-page.ts'
import { coded, isClosing } from './errors.ts'
import { openDatabase } from './open.ts'
import type { Schema, StoreName } from './schema.ts'
import { beginOn, type Opened } from './transaction.ts'

/** One opening of the database. */
export interface Handle extends Opened {
  readonly dataLoss?: string
  /** Why it was taken away, once it was. */
  taken?: CheckpointerError
}

interface Listeners {
  readonly onOpen: (handle: Handle) => void
  /** It was taken away, or closed as the page is left. */
  readonly onGone: () => void
}

/** What a call may do with a connection. */
export type Access = Pick<Connection, 'begin' | 'drop' | 'reason'>

/** An open that failed is not tried again by every call that comes. */
const REST_AFTER_FAILURE = 3000
/** An eviction aborts what is under way, and says so right after. */
const WORD_OF_EVICTION = 100

/**
 * Opens the database when it is first needed, and again after it was lost. When it was taken away, by another tab
 * or by the browser, one call is told before it is opened again: what it holds then may be something else.
 */
export class Connection {
  readonly name: string
  readonly #listeners: Listeners
  #opening: Promise<Handle> | undefined
  #current: Handle | undefined
  /** With this, calls are refused. */
  #refusing: CheckpointerError | undefined
  /** With this, nothing is begun any more, also for calls that came before. */
  #ended: CheckpointerError | undefined
  /** Why the last handle was taken away. */
  #taken: CheckpointerError | undefined
  /** The same, until the next call has been told. */
  #untold: CheckpointerError | undefined
  #failed: { readonly error: CheckpointerError; readonly at: number } | undefined
  /** The page is left: whatever comes waits until that is back. */
  #left: { readonly until: Promise<void>; readonly end: () => void } | undefined
  readonly #unlisten: () => void

  constructor(name: string, listeners: Listeners) {
    this.name = name
    this.#listeners = listeners
    this.#unlisten = whenKept({ goes: () => this.#leave(), isBack: () => this.#isBack() })
  }

  /**
   * To be called first by every call: it is refused once all is closed, and once after the database was taken away.
   * What it is given works on the database that is there now, and on no later one.
   */
  enter(): Access {
    this.refuseWhenClosed()
    const untold = this.#untold
    this.#untold = undefined
    if (untold) throw untold
    const before = this.#taken
    const begin: Connection['begin'] = async (stores, mode, durability) => {
      if (this.#taken && this.#taken !== before) throw this.#taken
      return this.begin(stores, mode, durability)
    }
    return {
      begin,
      drop: (handle) => this.drop(handle),
      reason: (handle, error) => this.reason(handle, error),
    }
  }

  /** Begins a transaction. A handle that turns out to be dead is replaced once: nothing was started on it. */
  async begin<Names extends StoreName[], Mode extends 'readonly' | 'readwrite'>(
    stores: Names,
    mode: Mode,
    durability: IDBTransactionDurability = 'strict',
  ): Promise<{ handle: Handle; tx: IDBPTransaction<Schema, Names, Mode> }> {
    for (let tried = 0; ; tried++) {
      const handle = await this.#open()
      if (handle.taken) throw handle.taken
      try {
        const { tx } = await beginOn(handle, stores, mode, durability)
        return { handle, tx }
      } catch (error) {
        if (handle.taken) throw handle.taken
        if (tried > 0 || this.#ended || !isClosing(error)) throw this.#ended ?? error
        this.drop(handle)
      }
    }
  }

  /** Lets go of a handle that no longer works; the next call opens another. */
  drop(handle: Handle): void {
    // Of several calls that find it dead, the first opens it again for all.
    if (this.#current === handle) this.#opening = this.#current = undefined
    handle.db.close()
    handle.gate?.open()
  }

  /** Why work on this handle has failed. */
  async reason(handle: Handle, error: unknown): Promise<unknown> {
    for (
      let waited = 0;
      !handle.taken && !this.#ended && isClosing(error) && waited < WORD_OF_EVICTION;
      waited += 10
    )
      await new Promise((resolve) => setTimeout(resolve, 10))
    return handle.taken ?? this.#ended ?? error
  }

  refuseWhenClosed(): void {
    if (this.#refusing) throw this.#refusing
  }

  refuseAll(error: CheckpointerError): void {
    this.#refusing ??= error
  }

  async opened(): Promise<void> {
    await this.#open()
  }

  /** Nothing is begun any more. Gives the handle, if there is one, to be closed. */
  async end(error: CheckpointerError): Promise<Handle | undefined> {
    this.refuseAll(error)
    this.#ended ??= error
    this.#unlisten()
    return this.#opening?.catch(() => undefined)
  }

  #open(): Promise<Handle> {
    // Nor does what came before, or works in the background, open what nobody has been told of.
    const refused = this.#ended ?? this.#untold
    if (refused) return Promise.reject(refused)
    this.#opening ??= this.#connect()
    return this.#opening
  }

  async #connect(): Promise<Handle> {
    await this.#left?.until
    const failed = this.#failed
    try {
      if (failed && performance.now() - failed.at < REST_AFTER_FAILURE) throw failed.error
      const handle: Handle = await openDatabase(this.name, {
        onVersionChange: (destroyed) => {
          const why = destroyed
            ? 'It was destroyed in another tab.'
            : 'Another tab uses a newer version: reload this one.'
          this.#take(handle, new CheckpointerError('CLOSED', `The database ${this.name} was closed. ${why}`))
        },
        onClose: () => this.#take(handle, evicted(this.name)),
      })
      this.#current = handle
      this.#listeners.onOpen(handle)
      return handle
    } catch (error) {
      this.#opening = undefined
      const told = coded(error)
      if (told !== failed?.error && told.code === 'FAILED')
        this.#failed = { error: told, at: performance.now() }
      throw told
    }
  }

  /** What is under way is taken back, and done anew later: see `whenKept`. */
  #leave(): void {
    let end = (): void => {}
    const until = new Promise<void>((resolve) => (end = resolve))
    this.#left = { until, end }
    const handle = this.#current
    if (!handle) return
    handle.gate?.abort()
    this.drop(handle)
    this.#listeners.onGone()
  }

  #isBack(): void {
    this.#left?.end()
    this.#left = undefined
  }

  #take(handle: Handle, error: CheckpointerError): void {
    handle.taken ??= error
    handle.gate?.open()
    if (this.#current !== handle) return
    this.#opening = this.#current = undefined
    this.#taken = this.#untold = error
    this.#listeners.onGone()
  }
}

const evicted = (name: string): CheckpointerError =>
  new CheckpointerError(
    'EVICTED',
    `The browser has closed ${name}, as it does when site data is cleared. Open it again to see what is left.`,
  )
