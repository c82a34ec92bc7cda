import type { CheckpointInfo } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import type { Lease } from '../leases/lease.ts'
import { checkOptions, type Names } from '../options/options.ts'
import { FIELDS } from '../states/fields.ts'
import { Asks } from './steps/asks.ts'
import { Book } from './journal/book.ts'
import type { Journal } from './journal/entries.ts'
import { LoopStreams } from './steps/loop-streams.ts'
import { warnOfUntold } from './steps/not-in-state.ts'
import type { RunState } from './run-state.ts'
import { checkName, Steps } from './steps/steps.ts'
import type { GivenSource } from './streams/opening.ts'
import type { StreamOptions } from './streams/options.ts'
import type { WrittenBehind } from '../threads/shared.ts'
import { allOf } from '../saving/writer.ts'
import type { AskOptions, Began, Loop, LoopFields, StepContext, StepOptions } from './types.ts'

const { runId: _ours, ...LOOP_FIELDS } = FIELDS
/** In milliseconds. */
const MOMENT = 500

const ASK: Names<AskOptions> = { name: true }

interface Beginning<State> {
  readonly began: Began
  readonly draft: State
  readonly journal: Journal
  /** The steps to be done again though they have failed. */
  readonly again: ReadonlySet<string>
}

/** What the caller's function is given. */
export class RunningLoop<State> implements Loop<State> {
  readonly began: Began
  state: State
  readonly #state: RunState<State>
  readonly #asks: Asks<State>
  readonly #steps: Steps<State>
  readonly #streams: LoopStreams<State>
  readonly #told = new Set<string>()
  readonly #finish: (result: unknown) => Promise<void>
  #book: Book
  #isSaving = false
  #isOver = false
  #ending: Promise<void> | undefined

  constructor(
    state: RunState<State>,
    { began, draft, journal, again }: Beginning<State>,
    finish: (result: unknown) => Promise<void>,
  ) {
    this.began = began
    this.state = draft
    this.#state = state
    this.#asks = new Asks(state)
    this.#steps = new Steps(state, this.#asks, again)
    this.#streams = new LoopStreams({ state, steps: this.#steps, asks: this.#asks }, again, () => {
      this.#refuseWhenOver()
      return this.#book
    })
    this.#book = new Book(state.run.id, journal.steps)
    this.#finish = finish
    // A loop may be taken apart: `({ state, step }) => …`.
    for (const verb of ['save', 'step', 'stream', 'ask', 'done'] as const)
      Object.defineProperty(this, verb, { value: this[verb].bind(this) })
  }

  get runId(): string {
    return this.#state.run.id
  }

  get signal(): AbortSignal {
    return this.#state.turn.signal
  }

  get token(): number {
    return this.#state.turn.token
  }

  get lease(): Lease {
    return this.#state.turn.lease
  }

  async save(fields: LoopFields = {}): Promise<CheckpointInfo> {
    this.#refuseWhenOver()
    const given = checkOptions('loop.save', fields, LOOP_FIELDS as Names<LoopFields>)
    return this.#leaving('loop.save()', async () => {
      const { seq } = this.#state
      const saved = await this.#state.save(this.state, { source: 'loop', ...given })
      warnOfUntold(this.#state, this.#told, this.#book.doneOutside, seq, saved.seq)
      this.#streams.leave(seq)
      this.#steps.leave()
      this.#book = new Book(this.runId, [])
      return saved
    })
  }

  async step<T>(
    name: string,
    work: (step: StepContext) => T | PromiseLike<T>,
    options: StepOptions<Awaited<T>> = {},
  ): Promise<Awaited<T>> {
    this.#refuseWhenOver()
    this.#streams.isGoneOnFrom()
    return this.#steps.run({ book: this.#book }, name, work, options)
  }

  stream<Chunk>(
    name: string,
    source: GivenSource<Chunk>,
    options: StreamOptions<Chunk> = {},
  ): AsyncIterable<Chunk> {
    this.#refuseWhenOver()
    return this.#streams.open(name, source, options)
  }

  async ask<Answer>(question: unknown, options: AskOptions = {}): Promise<Answer> {
    this.#refuseWhenOver()
    const { name = 'question' } = checkOptions('loop.ask', options, ASK)
    checkName(name)
    this.signal.throwIfAborted()
    this.#streams.isGoneOnFrom()
    const book = this.#book
    const claim = book.claim('question', name, { external: false, question })
    try {
      if (!claim.found) await book.inOrder(claim)
      return (await this.#asks.ask(claim, book)) as Answer
    } finally {
      book.close(claim)
      this.#asks.parkWhenIdle(book)
    }
  }

  async done(result?: unknown): Promise<void> {
    this.#refuseWhenOver()
    const ending = this.#leaving('its end', async () => {
      const { seq } = this.#state
      await this.#finish(result)
      this.#isOver = true
      this.#streams.leave(seq)
    })
    this.#ending = ending
    try {
      await ending
    } finally {
      this.#ending = undefined
    }
  }

  /** Resolves when an end that is under way has come, should the loop not have waited for it. */
  async ended(): Promise<void> {
    await this.#ending
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** From here on nothing more is taken. What is under way has a moment to come to its outcome. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#book.rests(MOMENT)
    this.#streams.end()
  }

  /** What it has done, and has not stored yet. */
  get behind(): WrittenBehind {
    return {
      flush: () => allOf([this.#state.flush(), this.#streams.logs.flush()]),
      hurry: () => {
        // Whoever has to know asks with `flush`, or finds out with the next entry.
        this.#state.writer.settled().catch(() => {})
        this.#streams.logs.hurry()
      },
    }
  }

  /** The steps to do again, should this error end the run. */
  failedBy(error: unknown): readonly string[] {
    return this.#steps.failedBy(error)
  }

  /** What leaves the journal behind: no step may be under way, and none of those in it may have been passed over. */
  async #leaving<T>(doing: string, work: () => Promise<T>): Promise<T> {
    const [open] = this.#book.open
    if (open !== undefined) throw underWay(open, doing)
    if (this.#isSaving) throw underWay('loop.save()', doing)
    this.#book.refuseUnclaimed(doing)
    this.#isSaving = true
    try {
      return await work()
    } finally {
      this.#isSaving = false
    }
  }

  #refuseWhenOver(): void {
    if (this.#isOver)
      throw new CheckpointerError('INVALID', 'The run has ended: its loop cannot be used any more.')
    if (this.#isSaving) throw underWay('loop.save()', 'the next')
  }
}

const underWay = (open: string, doing: string): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    `'${open}' is under way where the loop comes to ${doing}. Await it first: a run that is resumed begins again at the checkpoint, and could not know what became of it.`,
  )
