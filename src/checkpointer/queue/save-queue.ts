import { closed, type CheckpointerError } from '../../errors.ts'
import type { Host, Place, SaveManyRequest } from '../../operations/host.ts'
import { pause } from '../../tabs/pause.ts'
import { nameOfPlace } from '../places.ts'
import type { KnownStates } from '../states/known-states.ts'
import { allOf, type Send, type Writer } from '../saving/writer.ts'
import { Debt } from './debt.ts'
import { refusal } from './failures.ts'
import { Room } from './room.ts'
import { PlaceQueue } from './place-queue.ts'
import type { QueueSurroundings } from './surroundings.ts'

/** How long a save is refused for, at least and while it is tried whether it is still so, in milliseconds. */
const BREATH = 50
const PATIENCE = 1_000

/** Places that are remembered though all of theirs is written. */
const MOST_PLACES = 256

interface Between {
  /** It is carried out only if the saves before it can be written. */
  readonly isNeeded: boolean
  /** What cannot be written is given up. */
  readonly isGone: boolean
  /** What was saved under this name comes before it too. */
  readonly as?: string | undefined
}

export interface QueueOptions {
  readonly host: Host
  readonly known: KnownStates
  readonly lastOnly: boolean
  readonly onWarning: (warning: CheckpointerError) => void
}

/**
 * Durability `async` and `exit`: saves are taken when they are captured, and written behind. It stands on the
 * caller's side of the wire, so that it outlives a worker.
 */
export class SaveQueue implements Writer {
  readonly #debt: Debt
  readonly #lastOnly: boolean
  readonly #around: QueueSurroundings
  readonly #places = new Map<string, { readonly place: Place; readonly queue: PlaceQueue }>()
  /** By thread: what comes between the saves before it and those after it. Never rejects. */
  readonly #dividing = new Map<string, Promise<void>>()
  readonly #room = new Room(() => this.#queues({}))
  /** Saves whose callers were told nothing yet. */
  readonly #saving = new Set<Promise<unknown>>()
  #isClosed = false

  constructor({ host, known, lastOnly, onWarning }: QueueOptions) {
    // What the caller's function throws is its own, and not to be met in the middle of this.
    const warn = (warning: CheckpointerError): void => queueMicrotask(() => onWarning(warning))
    const isWritten = (): boolean => this.#queues({}).every(({ count }) => count === 0)
    this.#debt = new Debt({ host, isWritten, rested: () => this.rested(), warn })
    this.#lastOnly = lastOnly
    this.#around = {
      host,
      lastOnly,
      owe: () => this.#debt.owe(),
      changed: () => {
        this.#room.changed()
        this.#debt.settleWhenIdle()
      },
      placed: (place, key, seq) => {
        this.#debt.wrote()
        known.placed(place, key, seq)
      },
      forget: (place, key) => known.forget(place, key),
      warn,
    }
  }

  run<T>(place: Place, save: (send: Send) => Promise<T>): Promise<T> {
    const saving = this.#run(place, save)
    this.#saving.add(saving)
    const done = (): void => void this.#saving.delete(saving)
    saving.then(done, done)
    return saving
  }

  async #run<T>(place: Place, save: (send: Send) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed()
    const queue = this.#at(place)
    const untold = queue.takeUntold()
    const failure = untold ?? (this.#room.isThere(queue) ? undefined : queue.failure)
    if (failure) {
      const tried = queue.written().catch(() => undefined)
      // Who calls again at once would leave no time for another try, nor for anything else on the page.
      if (!untold)
        await Promise.all([pause(BREATH, undefined), Promise.race([tried, pause(PATIENCE, undefined)])])
      throw refusal(place, failure)
    }
    return save(async (captured) => {
      const dividing = this.#dividing.get(place.thread)
      // Looked up anew: a queue with nothing in it may have been forgotten meanwhile.
      const taken = dividing
        ? dividing.then(() => this.#at(place).add(captured))
        : this.#at(place).add(captured)
      const info = await taken
      // The last state of a place is written when somebody asks for it, which a wait for room would not see.
      if (!this.#lastOnly) await this.#room.wait(this.#at(place))
      return info
    })
  }

  /** Resolves when what was saved is stored: of a place, of a thread, or all of it. */
  async written(of: Partial<Place> = {}): Promise<void> {
    const { thread } = of
    await (thread === undefined ? Promise.all(this.#dividing.values()) : this.#dividing.get(thread))
    await this.#writtenNow(of)
  }

  /** Carries out what comes after the saves that were called before it, and before those called after it. */
  between<T>(thread: string, work: () => Promise<T>, { isNeeded, isGone, as }: Between): Promise<T> {
    const ahead = this.#dividing.get(thread)
    const working = (async () => {
      await ahead
      const failed = await this.#writtenNow({ thread }).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      if (as !== undefined) await this.#writtenNow({ thread: as })
      const queues = this.#queues({ thread })
      // What may be stored would, if it is removed now, come back behind what was saved after it.
      const isUnsure = !isGone && queues.some((queue) => queue.isUnsure)
      if (failed && (isNeeded || isUnsure)) throw failed.error
      // What is kept for another try waits too: after a deletion it would bring the thread back.
      for (const queue of queues) queue.hold()
      let isDone = false
      try {
        const result = await work()
        isDone = true
        return result
      } finally {
        for (const queue of queues) {
          queue.forget(isDone && isGone)
          queue.release()
        }
      }
    })()
    const done = working.then(
      () => undefined,
      () => undefined,
    )
    this.#dividing.set(thread, done)
    void done.then(() => {
      if (this.#dividing.get(thread) === done) this.#dividing.delete(thread)
    })
    return working
  }

  /** This is the head, as its caller is about to be told. */
  showsHead(place: Place, id: string | undefined): void {
    this.#places.get(nameOfPlace(place))?.queue.showsHead(id)
  }

  named(place: Place, ref: number | string): number | string {
    return this.#places.get(nameOfPlace(place))?.queue.named(ref) ?? ref
  }

  async flush(): Promise<void> {
    const saving = [...this.#saving]
    await this.#flushed()
    await allOf(saving)
  }

  /** Rejects with what no save was rejected with. */
  async #flushed(): Promise<void> {
    await this.written()
    for (const queue of this.#queues({})) {
      const untold = queue.takeUntold()
      if (untold) throw untold
    }
    await this.#debt.settle()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#debt.close()
    try {
      await this.#flushed()
    } finally {
      for (const { queue } of this.#places.values()) queue.stop()
    }
  }

  /** The store's name of the session that owes what is taken here. */
  get session(): string | undefined {
    return this.#debt.session
  }

  /** What was taken and is not known to be stored. */
  left(): SaveManyRequest[] {
    return this.#queues({}).flatMap((queue) => queue.left ?? [])
  }

  /** The page may be gone any moment. */
  hurry(): void {
    for (const { queue } of this.#places.values()) queue.hurry()
  }

  /** After this, what is saved is owed anew: the page was about to go. */
  rested(): void {
    this.#debt.forget()
    for (const queue of this.#queues({})) queue.forget(false)
  }

  async #writtenNow(of: Partial<Place>): Promise<void> {
    await allOf(this.#queues(of).map((queue) => queue.written()))
  }

  #at(place: Place): PlaceQueue {
    const name = nameOfPlace(place)
    const known = this.#places.get(name)
    if (known) return known.queue
    if (this.#places.size >= MOST_PLACES)
      for (const [old, { queue }] of this.#places) if (queue.isForgettable) this.#places.delete(old)
    const queue = new PlaceQueue(place, this.#around)
    this.#places.set(name, { place, queue })
    return queue
  }

  #queues({ thread, namespace }: Partial<Place>): PlaceQueue[] {
    return [...this.#places.values()].flatMap(({ place, queue }) =>
      (thread ?? place.thread) === place.thread && (namespace ?? place.namespace) === place.namespace
        ? queue
        : [],
    )
  }
}
