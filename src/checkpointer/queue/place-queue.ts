import { CheckpointerError } from '../../errors.ts'
import type { Place, SaveManyRequest, StoredInfo } from '../../operations/host.ts'
import {
  idOf,
  inPlaceOf,
  isConditional,
  newEntry,
  sentBehind,
  sizeOf,
  takenOf,
  wholeOf,
  type Entry,
} from './entry.ts'
import type { CapturedSave } from '../saving/writer.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { dropped, isAboutTheSave, isHopeless, kept, shifted, storeFailure } from './failures.ts'
import { newHold, type Hold } from './hold.ts'
import { Promises } from './promises.ts'
import type { QueueSurroundings } from './surroundings.ts'
import { Trouble } from './trouble.ts'

/** The saves of one place that are not stored yet, in their order. What is stored is always a beginning of them. */
export class PlaceQueue {
  readonly #place: Place
  readonly #around: QueueSurroundings
  readonly #promises: Promises
  readonly #trouble = new Trouble(() => this.#send())
  #entries: Entry[] = []
  #learning: Promise<void> | undefined
  /** What is on its way; several only after `hurry`. None rejects. */
  readonly #flights = new Set<Promise<void>>()
  /** Nothing is sent while this is there. */
  #hold: Hold | undefined
  /** All that is here now is to be written. */
  #isDue = false

  constructor(place: Place, around: QueueSurroundings) {
    this.#place = place
    this.#promises = new Promises(place)
    this.#around = around
  }

  get count(): number {
    return this.#entries.length
  }

  /** Nothing is here that anybody would have to hear of, or wait for. */
  get isForgettable(): boolean {
    return this.#entries.length === 0 && this.#flights.size === 0 && !this.#trouble.isUntold && !this.#hold
  }

  get bytes(): number {
    return this.#entries.reduce((sum, entry) => sum + sizeOf(entry), 0)
  }

  /** What callers were told is taken, and is not known to be stored. */
  get left(): SaveManyRequest | undefined {
    const saves = takenOf(this.#entries, this.#promises.head)
    return saves.length > 0 ? { ...this.#place, saves } : undefined
  }

  /** Why what is here could not be written, for as long as that is so. */
  get failure(): CheckpointerError | undefined {
    return this.#trouble.failure
  }

  /** A failure that no call was rejected with yet; after this one was. */
  takeUntold(): CheckpointerError | undefined {
    return this.#trouble.takeUntold()
  }

  /** Takes a save in; resolves when the caller may be told. */
  add(captured: CapturedSave): Promise<StoredInfo> {
    const entry = this.#lastOnly(newEntry(this.#named(captured)))
    this.#entries.push(entry)
    this.#promises.make(this.#entries)
    // Saves that are made in one go travel together.
    queueMicrotask(() => this.failure || this.#send())
    this.#around.changed()
    return entry.answer
  }

  /** Resolves when all that is here now is stored; rejects when it cannot be, now. */
  async written(): Promise<void> {
    const last = this.#entries.at(-1)
    while (last && this.#entries.includes(last)) {
      await this.#hold?.over
      this.#isDue = true
      if (!this.#promises.canBeMade) await this.#learn()
      this.#send()
      await Promise.all(this.#flights)
      if (this.failure) throw this.failure
    }
  }

  /** Sends all that is here, whatever is under way: messages keep their order. */
  hurry(): void {
    this.#isDue = true
    this.#send(true)
  }

  /** Nothing is sent any more, nor tried again, until it is released: it would land behind what comes now. */
  hold(): void {
    this.#trouble.wait()
    this.#hold ??= newHold()
  }

  release(): void {
    const hold = this.#hold
    this.#hold = undefined
    hold?.end()
    if (this.failure) this.#trouble.goOn()
    else this.#send()
  }

  /** The thread is gone, or its head may be another one. */
  forget(isGone: boolean): void {
    this.#promises.forgetHead()
    if (!isGone) return
    for (const entry of this.#entries) this.#around.forget(this.#place, entry.request.key)
    this.#entries = []
    this.#promises.forgetAll()
    this.#trouble.takeUntold()
    this.#trouble.end()
  }

  stop(): void {
    this.#trouble.wait()
  }

  /** Replaces a save that nobody has asked to be written. */
  #lastOnly(entry: Entry): Entry {
    const last = this.#entries.at(-1)
    if (!this.#around.lastOnly || !last || last.isSent || isConditional(last) || isConditional(entry))
      return entry
    this.#entries.pop()
    this.#around.forget(this.#place, last.request.key)
    return inPlaceOf(last, entry)
  }

  /** A seq that was only promised may yet be another's: the id is certain. Throws when it is another's. */
  named<T>(ref: T): T | string {
    return this.#promises.named(this.#entries, ref)
  }

  #named(captured: CapturedSave): CapturedSave {
    const { parent, expect, ...request } = captured.request
    const refs = withoutUndefined({ parent: this.named(parent), expect: this.named(expect) })
    return { ...captured, request: { ...request, ...refs } }
  }

  /** Asks the store what it will go on from. */
  #learn(): Promise<void> {
    this.#learning ??= Promise.all([this.#around.host.head(this.#place), this.#around.owe()])
      .then(([head]) => {
        this.#promises.learned(head)
        this.#trouble.end()
        this.#promises.make(this.#entries)
        this.#send()
      })
      .catch((error: unknown) => this.#failed([...this.#entries], error))
      .finally(() => {
        this.#learning = undefined
        this.#around.changed()
      })
    return this.#learning
  }

  #send(atOnce = false): void {
    const batch = this.#entries.filter(({ isSent }) => !isSent)
    if (this.#hold || batch.length === 0 || (this.#flights.size > 0 && !atOnce)) return
    // What is under way behind one that failed comes back too, and then they go together.
    if (this.#entries.at(-batch.length) !== batch[0]) return
    if (!this.#promises.canBeMade && !atOnce) return void this.#learn()
    if (!this.#isDue && this.#around.lastOnly && !batch.some(isConditional)) return
    this.#isDue = false
    this.#trouble.wait()
    for (const entry of batch) entry.isSent = true
    const behind = this.#behind(batch)
    const send = async (): Promise<readonly StoredInfo[]> =>
      this.#around.host.saveMany({ ...this.#place, saves: sentBehind(behind, batch), relaxed: true })
    const flight = send()
      .then(
        (saved) => this.#stored(batch, saved),
        (error: unknown) => {
          // Then the one ahead was not stored, or not last: they go again, behind it, when it has come back.
          if (behind && CheckpointerError.is(error, 'CONFLICT')) this.#putBack(batch, false)
          else this.#failed(batch, error)
        },
      )
      .then(() => {
        this.#flights.delete(flight)
        this.#promises.make(this.#entries)
        if (!this.failure) this.#send()
        this.#around.changed()
      })
    this.#flights.add(flight)
  }

  /** What is under way still, and must be stored for these to be. */
  #behind([first]: readonly Entry[]): Entry | undefined {
    return first && this.#flights.size > 0 ? this.#entries[this.#entries.indexOf(first) - 1] : undefined
  }

  #stored(batch: readonly Entry[], saved: readonly StoredInfo[]): void {
    const done = new Set<Entry>()
    const moved: (readonly [told: number, now: StoredInfo])[] = []
    for (const [i, info] of saved.entries()) {
      const entry = batch[i] as Entry
      done.add(entry)
      this.#around.placed(this.#place, entry.request.key, info.seq)
      const told = this.#promises.stored(entry, info)
      if (told !== undefined) moved.push([told, info])
    }
    this.#entries = this.#entries.filter((entry) => !done.has(entry))
    const [next, ...others] = batch.slice(saved.length)
    if (next) this.#putBack([next, ...others], false)
    // What its delta starts from is gone, by another tab's prune perhaps: then the whole state goes.
    if (next && saved.length === 0) next.frame = wholeOf(next)
    this.#trouble.end()
    const [first] = moved
    if (first) this.#around.warn(shifted(this.#place, first[0], first[1], moved.length))
  }

  #failed(batch: readonly Entry[], cause: unknown): void {
    const error = storeFailure(cause)
    const [first] = batch
    const isRefused = isAboutTheSave(error)
    this.#putBack(batch, !isRefused && error.outcome !== 'none')
    if (first && isRefused && (first.promised === undefined || isHopeless(error))) {
      this.#drop(first, error)
      return this.#trouble.end()
    }
    // Who still waits is told, and may call again; what was taken stays.
    for (const entry of batch) if (entry.promised === undefined) this.#drop(entry, error)
    if (this.#entries.length === 0) return
    const isNew = this.#trouble.begin(error)
    if (isNew) this.#around.warn(kept(this.#place, this.#entries.length, error))
  }

  #putBack(batch: readonly Entry[], mayBeStored: boolean): void {
    for (const entry of batch) {
      entry.isSent = false
      entry.isRetry ||= mayBeStored
    }
    this.#isDue = true
  }

  #drop(entry: Entry, error: CheckpointerError): void {
    this.#entries = this.#entries.filter((each) => each !== entry)
    this.#around.forget(this.#place, entry.request.key)
    if (entry.promised === undefined) return entry.reject(error)
    const untold = dropped(this.#place, idOf(entry), entry.promised, error)
    this.#trouble.tell(untold)
    this.#around.warn(untold)
  }
}
