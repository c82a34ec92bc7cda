import { CheckpointerError, type ErrorCode } from '../../errors.ts'

interface LatestOptions<Value> {
  /** At most one write in so many milliseconds; 0: each value is written. */
  readonly every: number
  /** So many values are put together at most, also while no timer gets to run. */
  readonly most: number
  /** Captures the value before it returns. */
  readonly write: (value: Value) => Promise<void>
  /** Of such a value the write waits for those under way, and those after it wait for it. None, when absent. */
  readonly isAlone?: (value: Value) => boolean
  /** Told once of each failure that lasts. */
  readonly onError: (error: CheckpointerError) => void
}

interface Flight<Value> {
  readonly value: Value
  readonly isAlone: boolean
  readonly ended: Promise<void>
}

/** Of these another try of the same value comes to the same. */
const LASTING: readonly ErrorCode[] = [
  'INVALID',
  'TOO_LARGE',
  'UNSUPPORTED',
  'CLOSED',
  'FORMAT_TOO_NEW',
  'LEASE_LOST',
]
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 60_000

/**
 * Writes whole states of one place: of those that come in quick succession the first, at once, and then the latest, every
 * now and then. What could not be written is kept until it can be, or until a later one takes its place.
 */
export class Latest<Value> {
  readonly #options: LatestOptions<Value>
  #pending: { readonly value: Value } | undefined
  /** What is being written. */
  #flights: Flight<Value>[] = []
  #values = 0
  /** Put since the last write began. */
  #gathered = 0
  #holds = 0
  #wroteAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  #failure: CheckpointerError | undefined
  #untold: CheckpointerError | undefined
  #pause = FIRST_PAUSE
  #hasEnded = false

  constructor(options: LatestOptions<Value>) {
    this.#options = options
  }

  /** The last one that was put, while it is not known to be stored. */
  get unsettled(): { readonly value: Value } | undefined {
    return this.#pending ?? this.#flights.at(-1)
  }

  /** What was put last could not be written. */
  get isFailing(): boolean {
    return this.#failure !== undefined
  }

  put(value: Value): void {
    if (this.#hasEnded) return
    this.#pending = { value }
    this.#values++
    this.#gathered++
    if (this.#gathered >= this.#options.most || this.#isDue) this.#writeWhenFree()
    else this.#writeLater()
  }

  /** A failure that no call was rejected with yet; after this one was. */
  takeUntold(): CheckpointerError | undefined {
    const untold = this.#untold
    this.#untold = undefined
    return untold
  }

  /** Nothing is written until it is released, unless that cannot wait. */
  hold(): void {
    this.#holds++
  }

  release(): void {
    this.#holds--
    if (this.#pending) this.#writeWhenFree()
  }

  /** Begins to write what there is, before it returns; unless that is not to be done beside what is being written. */
  write(): void {
    if (!this.#isInTheWay) this.#begin()
  }

  /** Begins to write what there is, before it returns, whatever is under way: there may be no later. */
  hurry(): void {
    const pending = this.#isInTheWay && this.#isAlone ? this.#pending : undefined
    this.#begin()
    // What it was to wait for may yet come behind it: if there is a later, it is written again then.
    this.#pending = pending
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const pending = this.#pending
    if (!pending) return
    const isAlone = this.#isAlone
    this.#pending = undefined
    this.#gathered = 0
    this.#wroteAt = performance.now()
    const flight = { ...pending, isAlone, ended: this.#write(pending.value, this.#values) }
    this.#flights.push(flight)
    void flight.ended.then(() => {
      this.#flights = this.#flights.filter((each) => each !== flight)
      if (this.#pending && !this.#failure) this.#writeLater()
    })
  }

  /**
   * Resolves when all that was put is written, with a failure from before that no call was rejected with yet; rejects when
   * it cannot be, now.
   */
  async flush(): Promise<CheckpointerError | undefined> {
    this.write()
    while (this.#isInTheWay) {
      await this.settled()
      this.write()
    }
    await this.settled()
    const untold = this.takeUntold()
    if (this.#failure) throw untold ?? this.#failure
    return untold
  }

  /** Waits for what is being written. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#flights.map(({ ended }) => ended))
  }

  /** Writes nothing more: forgets what waits, and waits for what is being written. Never rejects. */
  async end(): Promise<void> {
    this.#hasEnded = true
    this.#forget()
    await this.settled()
    // What has failed meanwhile would be tried again.
    this.#forget()
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#pending = undefined
  }

  get #isDue(): boolean {
    return performance.now() - this.#wroteAt >= this.#options.every
  }

  /** What is being written has to end before what there is can be. */
  get #isInTheWay(): boolean {
    if (!this.#pending || this.#flights.length === 0) return false
    return this.#isAlone || this.#flights.some(({ isAlone }) => isAlone)
  }

  /** Whether what there is has to be written alone. */
  get #isAlone(): boolean {
    return this.#pending !== undefined && (this.#options.isAlone?.(this.#pending.value) ?? false)
  }

  #writeWhenFree(): void {
    const isFree = this.#flights.length === 0 || this.#options.every === 0
    if (this.#holds === 0 && isFree) this.write()
  }

  #writeLater(pause = Math.max(0, this.#wroteAt + this.#options.every - performance.now())): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writeWhenFree()
    }, pause)
  }

  /** Never rejects. */
  async #write(value: Value, count: number): Promise<void> {
    try {
      await this.#options.write(value)
      this.#failure = undefined
      this.#pause = FIRST_PAUSE
    } catch (cause) {
      this.#failed(errorOf(cause), value, count)
    }
  }

  #failed(error: CheckpointerError, value: Value, count: number): void {
    // Unless a later one has taken its place.
    if (count === this.#values) this.#pending ??= { value }
    if (this.#failure?.code !== error.code) {
      this.#untold = error
      queueMicrotask(() => this.#options.onError(error))
    }
    this.#failure = error
    if (LASTING.includes(error.code)) return
    this.#writeLater(this.#pause)
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE)
  }
}

export const errorOf = (cause: unknown): CheckpointerError =>
  CheckpointerError.is(cause)
    ? cause
    : new CheckpointerError(
        'FAILED',
        `This failed: ${cause instanceof Error ? cause.message : 'see cause'}`,
        {
          cause,
        },
      )
