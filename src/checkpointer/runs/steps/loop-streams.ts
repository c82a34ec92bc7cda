import { CheckpointerError } from '../../../errors.ts'
import type { StoredWrite } from '../../../operations/host.ts'
import { unref } from '../../../platform/unref.ts'
import type { HeldLease } from '../../leases/lease.ts'
import type { Asks } from './asks.ts'
import type { Book, Claim } from '../journal/book.ts'
import { CHUNKS, INTENT } from '../journal/entries.ts'
import { linkedController } from '../linked-signal.ts'
import type { RunState } from '../run-state.ts'
import { checkName, type Steps } from './steps.ts'
import type { StreamEntry } from '../streams/entry.ts'
import { OpenLogs } from '../streams/open-logs.ts'
import type { GivenSource } from '../streams/opening.ts'
import type { StreamOptions } from '../streams/options.ts'
import { openStream } from '../streams/stream.ts'

/** So long, in milliseconds, those who watch from elsewhere may still read the last chunks. */
const LINGER = 3_000

/** What else there is of the loop. */
interface Around<State> {
  readonly state: RunState<State>
  readonly steps: Steps<State>
  readonly asks: Asks<State>
}

/** The streams of a run, each of which is an entry in its journal. */
export class LoopStreams<State> {
  readonly logs = new OpenLogs()
  readonly #state: RunState<State>
  readonly #steps: Steps<State>
  readonly #asks: Asks<State>
  readonly #again: ReadonlySet<string>
  readonly #book: () => Book
  readonly #over: ReturnType<typeof linkedController>
  /** Those that have an entry in this journal. */
  readonly #keys = new Set<string>()
  /** Outcomes that hold only if the loop goes on. */
  #ifGoneOn: StoredWrite[] = []

  /** `book` refuses when the loop takes nothing any more. */
  constructor({ state, steps, asks }: Around<State>, again: ReadonlySet<string>, book: () => Book) {
    this.#state = state
    this.#steps = steps
    this.#asks = asks
    this.#again = again
    this.#book = book
    this.#over = linkedController([state.turn.signal])
  }

  open<Chunk>(
    name: string,
    source: GivenSource<Chunk>,
    options: StreamOptions<Chunk>,
  ): AsyncGenerator<Chunk, void, undefined> {
    checkName(name)
    const { ground, token, page } = this.#state.turn
    const on = {
      codec: ground.codec,
      signal: this.#over.controller.signal,
      token,
      page,
      logs: this.logs,
      onWarning: (warning: CheckpointerError) => ground.onWarning(warning),
    }
    return openStream(on, () => this.#claim(name), name, source, options)
  }

  /**
   * The loop does something else. A stream that it broke off is to end there from now on, which was not sure before:
   * it looks the same from here when the loop's own code throws while it reads.
   */
  isGoneOnFrom(): void {
    const writes = this.#ifGoneOn
    this.#ifGoneOn = []
    // Should that fail, the next entry does too, and says so.
    if (writes.length > 0) this.#state.writer.put(writes, { lazy: true }).catch(() => {})
  }

  /** This checkpoint's journal is needed no longer: a newer one holds what became of the chunks, or the run is over. */
  leave(seq: number): void {
    const tasks = [...this.#keys]
    this.#keys.clear()
    this.#ifGoneOn = []
    if (tasks.length === 0) return
    const { lease } = this.#state.turn
    const timer = setTimeout(() => this.#drop(seq, tasks, lease), LINGER)
    unref(timer)
  }

  /** By then the lease may have been let go of, and nothing is fenced: nobody goes back to these rows. */
  #drop(seq: number, tasks: readonly string[], lease: HeldLease): void {
    const { ground, signal } = this.#state.turn
    if (ground.closed.aborted) return
    ground.dropWrites({ checkpoint: seq, tasks, from: CHUNKS.index }, lease).catch((cause: unknown) => {
      if (signal.aborted || ground.closed.aborted || CheckpointerError.is(cause, 'LEASE_LOST')) return
      const message = `Chunks of streams that thread '${ground.thread}' needs no longer still take room; they go with their checkpoint.`
      ground.onWarning(new CheckpointerError('FAILED', message, { thread: ground.thread, cause }))
    })
  }

  /** The loop has ended: no source is to go on. */
  end(): void {
    this.#over.controller.abort(over())
    this.#over.unlink()
  }

  async #claim(name: string): Promise<StreamEntry> {
    const book = this.#book()
    this.isGoneOnFrom()
    const { writer } = this.#state
    const claim = book.claim('stream', name, { external: false })
    const { key, intent, found } = claim
    this.#keys.add(key)
    const withKey = (writes: Parameters<StreamEntry['write']>[0]): StoredWrite[] =>
      writes.map((write) => ({ taskId: key, ...write }))
    try {
      if (!found) {
        await book.inOrder(claim)
        await writer.write([{ key, at: INTENT, value: intent }], { relaxed: true })
      }
    } catch (error) {
      this.#close(book, claim)
      throw error
    }
    return {
      key,
      found: found && this.#again.has(key) ? { ...found, outcome: undefined } : found,
      held: () => this.#state.wake(),
      write: (writes) => writer.put(withKey(writes)),
      log: (writes) => this.#state.putAside(withKey(writes)),
      ifGoneOn: (writes) => void this.#ifGoneOn.push(...withKey(writes)),
      blame: (error) => this.#steps.blame(error, key),
      close: () => this.#close(book, claim),
    }
  }

  /** What is left under way may be questions alone. */
  #close(book: Book, claim: Claim): void {
    book.close(claim)
    this.#asks.parkWhenIdle(book)
  }
}

const over = (): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    'The run has ended, and its streams with it: read them to their end, or break off.',
  )
