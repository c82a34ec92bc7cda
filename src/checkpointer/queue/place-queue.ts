import { CheckpointerError } from '../../errors.ts'
import type { HeadReply, Place, SaveManyRequest, StoredInfo } from '../../operations/host.ts'
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
import { dropped, kept, refusal, shifted, storeFailure } from './failures.ts'
import { isAboutTheSave, isHopeless } from './refusals.ts'
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
  /** How many entries were made. */
  #made = 0
  #learning: Promise<void> | undefined
  /** What is on its way; several only after `hurry`. None rejects. */
  readonly #flights = new Set<Promise<void>>()
  /** Nothing is sent while this is there. */
  #hold: Hold | undefined
  /** All that is here now is to be written. */
  #isDue = false
  /** So many go in one message. */
  #most = Infinity

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

  /** Something here may be stored, and has to be sent again. */
  get isUnsure(): boolean {
    return this.#entries.some(({ isRetry }) => isRetry)
  }

  /** A failure that no call was rejected with yet; after this one was. */
  takeUntold(): CheckpointerError | undefined {
    return this.#trouble.takeUntold()
  }

  /** Takes a save in; resolves when the caller may be told. */
  add(captured: CapturedSave): Promise<StoredInfo> {
    const entry = this.#lastOnly(newEntry(captured, ++this.#made, (ref) => this.named(ref)))
    this.#entries.push(entry)
    this.#promises.make(this.#entries)
    // Saves that are made in one go travel together.
    queueMicrotask(() => void this.#sendNew(entry))
    this.#around.changed()
    return entry.answer
  }

  /** Resolves when all that is here now is stored; rejects when it cannot be, now. */
  async written(): Promise<void> {
    // Not the last of them alone: the answer of one ahead of it may have been lost.
    const last = this.#made
    while (this.#entries.some(({ number }) => number <= last)) {
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

  /** A reader is told that this is the head: what is saved next is not told otherwise. */
  showsHead(id: string | undefined): void {
    if (this.#entries.length === 0) this.#promises.showsHead(id)
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

  /** Asks the store what it will go on from. Never rejects. */
  #learn(): Promise<void> {
    const { host, owe } = this.#around
    const ask = async (): Promise<HeadReply> => (await Promise.all([host.head(this.#place), owe()]))[0]
    this.#learning ??= this.#promises
      .learn(ask)
      .then(() => this.#promises.make(this.#entries))
      .catch((error: unknown) => this.#failed(this.#unsent, error))
      .finally(() => {
        this.#learning = undefined
        this.#around.changed()
      })
    return this.#learning
  }

  get #unsent(): Entry[] {
    return this.#entries.filter(({ isSent }) => !isSent)
  }

  /** What cannot be written waits for its next try; but not who has been told nothing yet. */
  async #sendNew(entry: Entry): Promise<void> {
    if (this.failure && !this.#promises.canBeMade) await this.#learn()
    const isUntold = entry.promised === undefined && this.#entries.includes(entry)
    if (!this.failure || isUntold) this.#send()
  }

  #send(atOnce = false): void {
    const unsent = this.#unsent
    if (this.#hold || unsent.length === 0 || (this.#flights.size > 0 && !atOnce)) return
    // What is under way behind one that failed comes back too, and then they go together.
    if (this.#entries.at(-unsent.length) !== unsent[0]) return
    const batch = unsent.slice(0, this.#most)
    if (!this.#promises.canBeMade && !atOnce)
      return void this.#learn().then(() => this.#promises.canBeMade && this.#send())
    if (!this.#isDue && this.#around.lastOnly && !batch.some(isConditional)) return
    this.#isDue = batch.length < unsent.length
    this.#trouble.wait()
    for (const entry of batch) entry.isSent = true
    // What is under way still, and must be stored for these to be.
    const behind = this.#flights.size > 0 ? this.#entries.at(-unsent.length - 1) : undefined
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

  #stored(batch: readonly Entry[], saved: readonly StoredInfo[]): void {
    for (const [i, { seq }] of saved.entries())
      this.#around.placed(this.#place, (batch[i] as Entry).request.key, seq)
    const [moved, ...others] = this.#promises.stored(batch, saved)
    const done = new Set(batch.slice(0, saved.length))
    this.#entries = this.#entries.filter((entry) => !done.has(entry))
    const rest = batch.slice(saved.length)
    if (rest.length > 0) this.#putBack(rest, false)
    this.#most *= 2
    // What its delta starts from is gone, by another tab's prune perhaps: then the whole state goes.
    if (rest[0] && saved.length === 0) rest[0].frame = wholeOf(rest[0])
    this.#trouble.end()
    if (moved) this.#around.warn(shifted(this.#place, moved.told, moved.now, 1 + others.length))
  }

  #failed(batch: readonly Entry[], cause: unknown): void {
    const error = storeFailure(cause)
    const [first] = batch
    // A message of several is too large for the way there: each of them may not be.
    if (batch.length > 1 && error.code === 'TOO_LARGE') {
      this.#most = Math.ceil(batch.length / 2)
      this.#putBack(batch, false)
      return this.#trouble.end()
    }
    const isRefused = isAboutTheSave(error)
    const mayBeStored = !isRefused && error.outcome !== 'none'
    this.#putBack(batch, mayBeStored)
    // Then the head may be one of these, also of those that nobody sends again.
    if (mayBeStored) this.#promises.forgetHead()
    if (first && isRefused && (first.promised === undefined || isHopeless(error))) {
      this.#drop(first, error)
      return this.#trouble.end()
    }
    // Who still waits is told, and may call again; what was taken stays. What is under way has an answer of its own.
    for (const entry of this.#unsent)
      if (entry.promised === undefined)
        this.#drop(entry, batch.includes(entry) ? error : refusal(this.#place, error))
    if (this.#unsent.length === 0) return
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
