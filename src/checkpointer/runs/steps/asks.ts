import { onAbort } from '../../../platform/on-abort.ts'
import type { Book, Claim } from '../journal/book.ts'
import { INTENT, readJournal, type Outcome } from '../journal/entries.ts'
import type { RunState } from '../run-state.ts'
import { CheckpointerError } from '../../../errors.ts'

/** How often is looked, where nobody tells of an answer. */
const LOOK = 2_000
const TRIES = 3

/**
 * Questions to people. While all that is under way are questions, the run waits without its lease; an answer stands in
 * the journal as any step's outcome, put there by whichever tab has it.
 */
export class Asks<State> {
  readonly #state: RunState<State>
  readonly #waiting = new Map<string, (outcome: Outcome) => void>()
  /** Of these, what has its answer and is about to go on: it is not waited with. */
  readonly #answered = new Set<string>()
  #listening: (() => void) | undefined
  #looking: Promise<void> | undefined
  #isDue = false

  constructor(state: RunState<State>) {
    this.#state = state
  }

  /** Resolves to the answer. `book` has the question under way for as long. */
  async ask({ key, intent, found }: Claim, book: Book, signal = this.#state.turn.signal): Promise<unknown> {
    if (!found) await this.#state.writer.write([{ key, at: INTENT, value: intent }])
    const outcome = found?.outcome ?? (await this.#answer(key, book, signal))
    if ('error' in outcome) throw outcome.error
    return 'value' in outcome ? outcome.value : undefined
  }

  /** Lets others have the thread, when the rest of the loop has had its turn and does nothing either. */
  parkWhenIdle(book: Book): void {
    if (this.#unanswered === 0) return
    setTimeout(() => {
      // Of a journal that was left behind nothing is open: what is asked stands in another one by then.
      const isIdle = (): boolean => this.#unanswered > 0 && book.open.length === this.#unanswered
      if (!isIdle()) return
      // Then it goes on waiting with its lease.
      this.#park(isIdle).catch((error: unknown) => this.#warn(error))
    }, 0)
  }

  /** What was written meanwhile may be an answer: that is looked at first, and others may come each time. */
  async #park(isIdle: () => boolean): Promise<void> {
    for (let tried = 0; tried < TRIES && isIdle(); tried++)
      try {
        return await this.#state.park(isIdle)
      } catch (error) {
        if (!CheckpointerError.is(error, 'CONFLICT')) throw error
        await this.#look()
      }
  }

  async #answer(key: string, book: Book, signal: AbortSignal): Promise<Outcome> {
    this.#listening ??= this.#listen()
    try {
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const leave = onAbort(signal, () => reject(signal.reason))
        this.#waiting.set(key, (answered) => {
          leave()
          resolve(answered)
        })
        this.parkWhenIdle(book)
      })
      await this.#state.wake()
      return outcome
    } finally {
      this.#waiting.delete(key)
      this.#answered.delete(key)
      if (this.#waiting.size === 0) {
        this.#listening?.()
        this.#listening = undefined
      }
    }
  }

  #listen(): () => void {
    const { ground } = this.#state.turn
    const unlisten = ground.subscribe((event) => {
      if (event.type !== 'writes' && event.type !== 'run') return
      if (event.thread === ground.thread && event.namespace === ground.namespace) void this.#look()
    })
    const timer = setInterval(() => void this.#look(), LOOK)
    return () => {
      clearInterval(timer)
      unlisten()
    }
  }

  /** What comes while it looks may not have been seen: then it looks once more. */
  #look(): Promise<void> {
    this.#isDue = true
    this.#looking ??= this.#lookWhileDue()
    return this.#looking
  }

  async #lookWhileDue(): Promise<void> {
    // Not before it is noted that it looks.
    await Promise.resolve()
    while (this.#isDue && this.#waiting.size > 0) {
      this.#isDue = false
      await this.#lookOnce().catch((error: unknown) => this.#warn(error))
    }
    this.#looking = undefined
  }

  get #unanswered(): number {
    return this.#waiting.size - this.#answered.size
  }

  async #lookOnce(): Promise<void> {
    const { turn, run, seq } = this.#state
    const { run: latest, writes } = await turn.ground.journalOf(seq)
    if (latest?.turn !== run.turn) return void turn.lose()
    this.#state.seen(latest)
    for (const { key, outcome } of readJournal(writes, run.id).steps) {
      const goOn = this.#waiting.get(key)
      if (!outcome || !goOn) continue
      this.#answered.add(key)
      goOn(outcome)
    }
  }

  #warn(error: unknown): void {
    const { turn } = this.#state
    if (turn.signal.aborted) return
    turn.ground.onWarning(CheckpointerError.is(error) ? error : notHeard(turn.ground.thread, error))
  }
}

const notHeard = (thread: string, cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `Whether thread '${thread}' was answered could not be seen just now; it is looked at again.`,
    { thread, cause },
  )
