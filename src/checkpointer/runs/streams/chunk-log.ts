/** At most one commit in so many milliseconds. */
const EVERY = 50
/** When so many bytes wait to be written, the source is not asked for more. */
const MOST_WAITING = 4 * 1024 * 1024

const encoder = new TextEncoder()
export const bytesIn = (json: string): number =>
  /^[ -~]*$/.test(json) ? json.length : encoder.encode(json).length

/** Chunks that are written together, each as the JSON that stands for it. */
export interface Batch {
  /** Where it stands among the writes of its task. */
  readonly index: number
  /** How many chunks came before it. */
  readonly from: number
  readonly chunks: readonly string[]
}

export interface ChunkLogOptions {
  /** Where the first batch goes, and how many chunks are there before it. */
  readonly index: number
  readonly from: number
  /** How many bytes it may take; after that nothing is taken any more. */
  readonly room: number
  /** Stores them all, or none. */
  readonly write: (batches: readonly Batch[]) => Promise<void>
  /** The log is full, and this chunk is not in it. */
  readonly onFull: () => void
}

/**
 * Writes chunks behind whoever reads them, in order, the first at once. A batch that could not be written is sent
 * again as it was, before what came after it: if it had been stored after all, it is the same.
 */
export class ChunkLog {
  readonly #options: ChunkLogOptions
  /** Not known to be stored, in order, with what they weigh. */
  readonly #unstored = new Map<Batch, number>()
  readonly #underWay = new Set<Batch>()
  #gathered: string[] = []
  #gatheredBytes = 0
  #index: number
  #taken: number
  #room: number
  #waiting = 0
  #isFull = false
  #began = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Settles when what is under way has an answer. */
  #answer: Promise<void> = Promise.resolve()

  constructor(options: ChunkLogOptions) {
    this.#options = options
    this.#index = options.index
    this.#taken = options.from
    this.#room = options.room
  }

  /** There was no room for all. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Very much waits to be written: flush before more is added. */
  get isCrowded(): boolean {
    return this.#waiting > MOST_WAITING
  }

  add(chunk: string): void {
    if (this.#isFull) return
    const bytes = bytesIn(chunk)
    this.#room -= bytes
    if (this.#room < 0) {
      this.#isFull = true
      this.#options.onFull()
      return
    }
    this.#gathered.push(chunk)
    this.#gatheredBytes += bytes
    this.#waiting += bytes
    this.#sendWhenDue()
  }

  /** The page may be gone any moment: all of it is on its way when this returns. */
  hurry(): void {
    // Whoever has to know asks with `flush` or `rest`.
    this.#send().catch(() => {})
  }

  /** Resolves when all that was added is stored. */
  async flush(): Promise<void> {
    await this.#answer.catch(() => {})
    // What was under way is stored, or failed and is sent once more: that tells.
    if (this.#unstored.size + this.#gathered.length > 0) await this.#send()
  }

  /** Ends the log, and gives what is still to be stored, to be written with what comes behind it. */
  async rest(): Promise<readonly Batch[]> {
    clearTimeout(this.#timer)
    await this.#answer.catch(() => {})
    this.#gather()
    return [...this.#unstored.keys()]
  }

  /** All of it was stored with what came behind. */
  stored(): void {
    this.#unstored.clear()
    this.#waiting = 0
  }

  /** When what is under way has an answer, whichever. */
  async settled(): Promise<void> {
    await this.#answer.catch(() => {})
  }

  /**
   * By the clock when a chunk comes, too: in a hidden tab a timer may be a second late, and later a minute, and
   * nothing may wait for it while chunks come.
   */
  #sendWhenDue(): void {
    if (this.#underWay.size > 0 || this.#gathered.length === 0) return
    const wait = this.#began + EVERY - performance.now()
    if (wait <= 0) this.#sendBehind()
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        this.#sendWhenDue()
      }, wait)
  }

  #sendBehind(): void {
    this.#send().then(
      () => this.#sendWhenDue(),
      // It is tried again with the next chunk, and at the end, where it is told.
      () => {},
    )
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#gather()
    const batches = [...this.#unstored.keys()].filter((batch) => !this.#underWay.has(batch))
    if (batches.length === 0) return this.#answer
    this.#began = performance.now()
    for (const batch of batches) this.#underWay.add(batch)
    const before = this.#answer
    const sending = this.#options.write(batches).then(
      () => this.#answered(batches, true),
      (error: unknown) => {
        this.#answered(batches, false)
        throw error
      },
    )
    this.#answer = Promise.all([before.catch(() => {}), sending]).then(() => {})
    // Whoever waits for it hears of a failure; nobody has to.
    this.#answer.catch(() => {})
    return this.#answer
  }

  #answered(batches: readonly Batch[], isStored: boolean): void {
    for (const batch of batches) {
      this.#underWay.delete(batch)
      if (!isStored) continue
      this.#waiting -= this.#unstored.get(batch) ?? 0
      this.#unstored.delete(batch)
    }
  }

  #gather(): void {
    if (this.#gathered.length === 0) return
    const chunks = this.#gathered
    this.#gathered = []
    this.#unstored.set({ index: this.#index++, from: this.#taken, chunks }, this.#gatheredBytes)
    this.#taken += chunks.length
    this.#gatheredBytes = 0
  }
}
