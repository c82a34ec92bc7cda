import type { CheckpointerEvent, CheckpointInfo, Snapshot } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { checkFunction, checkOptions, invalid, type Names } from '../../checkpointer/options/options.ts'
import type { HistoryOptions } from '../../checkpointer/threads/history.ts'
import type { Which } from '../../checkpointer/threads/types.ts'
import { type CheckpointerError, reportFailure } from '../../errors.ts'
import { hearingOf } from '../../hearing.ts'
import { InUse } from '../shared/in-use.ts'
import { errorOf } from '../shared/latest.ts'
import { needCheckpointer } from '../shared/needed.ts'
import { Item, type ItemSurroundings } from './item.ts'

export interface StorageOptions {
  /** An item is written at once, and then at most once in so many milliseconds; 250 unless it is said. */
  readonly every?: number | undefined
  /** Of values that are set without a pause, so many are put together at most; 1000 unless it is said. */
  readonly most?: number | undefined
  /** `keep`: what was removed can be undone, and stays in the history. `delete`: the history goes too. */
  readonly onRemove?: 'keep' | 'delete' | undefined
  /** Hears of every failure, also where nobody waits for a call; without it they are reported as uncaught. */
  readonly onError?: ((error: CheckpointerError) => void) | undefined
  /** Hears when a value was set over one that had not been read here: `CONFLICT`. On the console without it. */
  readonly onWarning?: ((warning: CheckpointerError) => void) | undefined
}

/** A store of whole values by name, as zustand, redux-persist and TanStack AI ask for it; each has a history. */
export interface ForkpointStorage {
  /** The value as it was given to `setItem`, a text as that text; `null` when there is none. */
  getItem<Value = unknown>(name: string): Promise<Value | null>
  /** Takes the value in before it returns; it is written behind. Rejects when an earlier one could not be written. */
  setItem(name: string, value: unknown): Promise<void>
  removeItem(name: string): Promise<void>
  /** Waits until all that was set is durable; rejects when it cannot be. */
  flush(): Promise<void>
  /** What the item has been, the latest first; with `states: true` its values. */
  history<Value = unknown>(
    name: string,
    options: HistoryOptions & { readonly states: true },
  ): AsyncIterable<Snapshot<Value | null>>
  history(name: string, options?: HistoryOptions): AsyncIterable<CheckpointInfo>
  /** Another item that begins with what this one is, or was at a checkpoint of its history. */
  fork(name: string, as: string, at?: Which): Promise<void>
  /** Makes the item what it was before the last change; gives whether there was any. It can be undone too. */
  undo(name: string): Promise<boolean>
  /** Takes back an undo; there is nothing to take back once something else was set. */
  redo(name: string): Promise<boolean>
  /**
   * Told the name of an item in use here that has changed otherwise than by `setItem` and `removeItem` of this object:
   * from another tab, by an undo, by other means. Call what it returns to stop.
   */
  subscribe(listener: (name: string) => void): () => void
  /** Writes what is left, and lets go of the page and the checkpointer, which it does not close. */
  close(): Promise<void>
}

const OPTIONS: Names<StorageOptions> = {
  every: true,
  most: true,
  onRemove: true,
  onError: true,
  onWarning: true,
}
/** A value may be lost to a crash for so long, at most. */
const LONGEST = 60_000

/** Keeps whole values in a checkpointer. An item is the thread of that name, and what is set there is a checkpoint. */
export function forkpointStorage(checkpointer: Checkpointer, options: StorageOptions = {}): ForkpointStorage {
  return new ItemStorage(checkpointer, options)
}

class ItemStorage implements ForkpointStorage {
  readonly #checkpointer: Checkpointer
  readonly #around: ItemSurroundings
  readonly #items = new InUse<Item>()
  readonly #listeners = new Set<(name: string) => void>()
  readonly #stops: readonly (() => void)[]
  #isClosed = false

  constructor(checkpointer: Checkpointer, options: StorageOptions) {
    this.#checkpointer = needCheckpointer(checkpointer)
    const { hearsAll, onGap } = hearingOf(checkpointer)
    this.#around = { ...surroundings(options), hearsAll }
    this.#stops = [
      checkpointer.subscribe((event) => {
        const names = 'thread' in event ? [event.thread] : this.#items.names()
        for (const name of names) void this.#hear(name, event)
      }),
      onGap(() => this.#items.all().forEach((item) => item.doubt())),
      checkpointer.holdsBack({
        hurry: () => this.#items.all().forEach((item) => item.hurry()),
        flush: () => this.#flushItems(),
      }),
    ]
  }

  getItem<Value>(name: string): Promise<Value | null> {
    return this.#told(async () => (await this.#item(name).get()) as Value | null)
  }

  setItem(name: string, value: unknown): Promise<void> {
    return this.#told(() => this.#item(name).set(value))
  }

  removeItem(name: string): Promise<void> {
    return this.#told(() => this.#item(name).remove())
  }

  async flush(): Promise<void> {
    // Once this is closed, the checkpointer does not know of what is set here.
    if (this.#isClosed) await this.#flushItems()
    await this.#checkpointer.flush()
  }

  history<Value = unknown>(
    name: string,
    options: HistoryOptions & { readonly states: true },
  ): AsyncIterable<Snapshot<Value | null>>
  history(name: string, options?: HistoryOptions): AsyncIterable<CheckpointInfo>
  history(name: string, options: HistoryOptions = {}): AsyncIterable<CheckpointInfo> {
    return this.#item(name).history(options)
  }

  async fork(name: string, as: string, at?: Which): Promise<void> {
    await this.#item(name).fork(as, at)
  }

  async undo(name: string): Promise<boolean> {
    return this.#item(name).undo()
  }

  async redo(name: string): Promise<boolean> {
    return this.#item(name).redo()
  }

  subscribe(listener: (name: string) => void): () => void {
    if (typeof (listener as unknown) !== 'function') throw invalid('listener', 'a function')
    // One of its own: the same function may be given twice.
    const own = (name: string): void => listener(name)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  async close(): Promise<void> {
    try {
      await this.flush()
    } finally {
      for (const stop of this.#stops) stop()
      this.#listeners.clear()
      this.#isClosed = true
    }
  }

  async #flushItems(): Promise<void> {
    await Promise.all(this.#items.all().map((item) => item.flush()))
  }

  #item(name: string): Item {
    return this.#items.use(name, () => new Item(this.#checkpointer.thread(name), this.#around))
  }

  async #hear(name: string, event: CheckpointerEvent): Promise<void> {
    if (!(await this.#items.get(name)?.hears(event))) return
    for (const listener of this.#listeners) {
      try {
        listener(name)
      } catch (error) {
        reportFailure(error)
      }
    }
  }

  /** Stores call without waiting: what fails is told, and is no unhandled rejection. */
  #told<T>(call: () => Promise<T>): Promise<T> {
    // Begins at once: the value is taken in before this returns.
    const calling = (async () => call())()
    calling.catch((error: unknown) => this.#around.onError(errorOf(error)))
    return calling
  }
}

function surroundings(options: StorageOptions): Omit<ItemSurroundings, 'hearsAll'> {
  const { every = 250, most = 1000, onRemove = 'keep', ...given } = checkOptions('storage', options, OPTIONS)
  if (!(every >= 0 && every <= LONGEST)) throw invalid('every', `milliseconds from 0 to ${LONGEST}`)
  if (!(Number.isSafeInteger(most) && most > 0)) throw invalid('most', 'a whole number from 1')
  if (onRemove !== 'keep' && onRemove !== 'delete') throw invalid('onRemove', "'keep' or 'delete'")
  checkFunction('onError', given.onError)
  checkFunction('onWarning', given.onWarning)
  const { onError = reportFailure, onWarning = (warning) => console.warn(warning) } = given
  return { every, most, onRemove, onError: once(onError), onWarning }
}

/** A failure that was told when it came may also be what a later call is rejected with. */
function once(tell: (error: CheckpointerError) => void): (error: CheckpointerError) => void {
  const told = new WeakSet<CheckpointerError>()
  return (error) => {
    if (told.has(error)) return
    told.add(error)
    tell(error)
  }
}
