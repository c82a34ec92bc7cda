import { onAbort } from '../../../platform/on-abort.ts'
import { CheckpointerError } from '../../../errors.ts'
import type { Codec } from '../../../state/codec.ts'
import type { PageStays } from '../ground/page-stays.ts'
import { bytesIn, ChunkLog, type Batch } from './chunk-log.ts'
import {
  attemptWrite,
  batchWrite,
  failureWrite,
  outcomeWrite,
  type EntryWrite,
  type StreamEntry,
} from './entry.ts'
import { cancel, cancelUnread, notWanted, openGiven, type GivenSource } from './opening.ts'
import type { OpenLogs } from './open-logs.ts'
import type { Replay } from './replay.ts'
import type { Reading } from './source.ts'
import { stoppable } from './stoppable.ts'

/** What streams stand on: the run that they are part of. */
export interface StreamGround {
  readonly codec: Codec
  /** The run's. */
  readonly signal: AbortSignal
  readonly token: number
  readonly page: PageStays
  readonly logs: OpenLogs
  readonly onWarning: (warning: CheckpointerError) => void
}

export interface LiveOptions<Chunk> {
  readonly name: string
  readonly entry: StreamEntry
  readonly replay: Replay<Chunk>
  readonly attempt: number
  /** The journal does not know of this attempt yet. */
  readonly isNew: boolean
  readonly source: GivenSource<Chunk>
  readonly maxBytes: number
}

/** Chunks as they come from a source, passed on at once, and logged behind whoever reads. */
export class LiveStream<Chunk> {
  readonly #ground: StreamGround
  readonly #options: LiveOptions<Chunk>
  readonly #log: ChunkLog
  /** What the source is told to stop by. */
  readonly #stop = new AbortController()
  #reading: Reading<Chunk> | undefined
  /** Nothing more can come. */
  #isDry = false
  #failure: { readonly error: unknown } | undefined
  #passed = 0

  constructor(ground: StreamGround, options: LiveOptions<Chunk>) {
    this.#ground = ground
    this.#options = options
    const { name, entry, replay, maxBytes } = options
    this.#log = new ChunkLog({
      index: replay.index,
      from: replay.chunks.length,
      room: maxBytes - replay.chunks.reduce((sum, chunk) => sum + bytesIn(this.#encoded(chunk)), 0),
      write: (batches) => entry.log(this.#writes(batches)),
      onFull: () => ground.onWarning(full(name, maxBytes)),
    })
  }

  /** What is there already comes first. */
  async *read(): AsyncGenerator<Chunk, void, undefined> {
    const { signal, logs } = this.#ground
    const leave = logs.add(this.#log)
    // Also when nobody asks for a chunk just then.
    const unheard = onAbort(signal, () => {
      void this.#cancel(signal.reason)
      this.#log.hurry()
    })
    // Until something says otherwise, it is the reader who went away.
    let isLeft = true
    try {
      yield* this.#chunks()
      isLeft = false
      await this.#end([this.#outcome({ isWhole: true })])
    } catch (error) {
      isLeft = false
      if (this.#failure) await this.#keepFailure(this.#failure.error)
      throw error
    } finally {
      unheard()
      if (isLeft && !signal.aborted) await this.#leave()
      else void this.#cancel(notWanted())
      // What was passed on, and has no outcome, is there for who goes on.
      this.#log.hurry()
      void this.#log.settled().then(leave)
    }
  }

  /** The reader has gone away, and the stream ends here, if the loop goes on. */
  async #leave(): Promise<void> {
    await Promise.all([this.#cancel(notWanted()), this.#log.flush()])
    if (!this.#log.isFull) this.#options.entry.ifGoneOn([this.#outcome({ isWhole: false })])
  }

  async *#chunks(): AsyncGenerator<Chunk, void, undefined> {
    for (const chunk of this.#options.replay.chunks) {
      this.#ground.signal.throwIfAborted()
      this.#passed++
      yield chunk
    }
    const reading = await this.#open()
    const chunks = stoppable(reading, this.#stop.signal)
    const { page, signal } = this.#ground
    try {
      for (;;) {
        const next = await this.#fromSource(() => chunks.next())
        // A page that goes cuts its source off, which may say so as a chunk, or just end.
        if (page.isLeft || isFailure(next.value)) await page.known(signal)
        if (next.done) break
        this.#log.add(this.#encoded(next.value))
        this.#passed++
        yield next.value
        if (this.#log.isCrowded) await this.#log.flush()
      }
      this.#isDry = true
    } finally {
      chunks.release()
    }
  }

  async #open(): Promise<Reading<Chunk>> {
    const { entry, replay, attempt, isNew, source } = this.#options
    await (isNew ? entry.write([attemptWrite(attempt)]) : entry.held())
    const { token } = this.#ground
    const call = { key: entry.key, attempt, signal: this.#stop.signal, chunks: replay.chunks, token }
    this.#reading = await this.#fromSource(() => openGiven(source, call))
    return this.#reading
  }

  /** Notes what the source fails with. That the run was stopped is none of that, nor is a source that is none. */
  async #fromSource<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#ground
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      await this.#ground.page.known(signal)
      if (!CheckpointerError.is(error, 'INVALID')) {
        this.#isDry = true
        this.#failure = { error }
      }
      throw error
    }
  }

  /** That the source has failed is told anyway; without its outcome the stream is as one that was cut off. */
  async #keepFailure(error: unknown): Promise<void> {
    this.#options.entry.blame(error)
    try {
      await this.#end([failureWrite(this.#ground.codec, error)])
    } catch (cause) {
      const message = `That the stream '${this.#options.name}' has failed could not be stored.`
      this.#ground.onWarning(new CheckpointerError('FAILED', message, { cause }))
    }
  }

  /**
   * Stores what is left of the log with the outcome, in one commit. A log that is not whole has none, or it would be
   * taken for the whole stream.
   */
  async #end(outcome: readonly EntryWrite[]): Promise<void> {
    const batches = this.#writes(await this.#log.rest())
    const writes = this.#log.isFull ? batches : [...batches, ...outcome]
    if (writes.length > 0) await this.#options.entry.write(writes)
    this.#log.stored()
  }

  #outcome({ isWhole }: { readonly isWhole: boolean }): EntryWrite {
    return outcomeWrite(this.#ground.codec, { chunks: this.#passed, isWhole })
  }

  async #cancel(reason: unknown): Promise<void> {
    if (this.#isDry) return
    this.#isDry = true
    const cancelled = this.#reading
      ? cancel(this.#reading, reason)
      : cancelUnread(this.#options.source, reason)
    // A request that was given the signal ends by it; not every source ends its request when it is left.
    this.#stop.abort(reason)
    await cancelled
  }

  #writes(batches: readonly Batch[]): EntryWrite[] {
    return batches.map((batch) => batchWrite(this.#options.attempt, batch))
  }

  #encoded(chunk: Chunk): string {
    try {
      return JSON.stringify(this.#ground.codec.capture(chunk).state)
    } catch (cause) {
      if (!CheckpointerError.is(cause, 'INVALID')) throw cause
      const { name } = this.#options
      throw new CheckpointerError(
        'INVALID',
        `A chunk of the stream '${name}' cannot be kept: ${cause.message}`,
        {
          ...(cause.path === undefined ? {} : { path: cause.path }),
          cause,
        },
      )
    }
  }
}

/** As the AI SDK tells of one. */
const isFailure = (chunk: unknown): boolean =>
  typeof chunk === 'object' && chunk !== null && 'type' in chunk && chunk.type === 'error'

const full = (name: string, maxBytes: number): CheckpointerError =>
  new CheckpointerError(
    'TOO_LARGE',
    `The stream '${name}' has given more than ${maxBytes} bytes. What follows is passed on, but no longer kept for a crash: save after it, or raise maxBytes.`,
  )
