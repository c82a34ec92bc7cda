import { checkOptions, invalid, type Names } from '../options/options.ts'
import type { Asks } from './asks.ts'
import {
  attemptOnce,
  checkTimeout,
  pauseAfter,
  retriesOf,
  sleep,
  type Attempted,
  type Plan,
} from './attempts.ts'
import type { Book, Claim } from './book.ts'
import { ATTEMPT, INTENT, OUTCOME, type Outcome } from './entries.ts'
import type { RunState } from './run-state.ts'
import { isRefused, plainError } from './kept-error.ts'
import type { StepContext, StepOptions, WhenUnknown } from './types.ts'
import { checkPolicy, decide } from './unknown.ts'

const STEP: Names<StepOptions> = { effect: true, whenUnknown: true, retries: true, timeout: true }
const MOST_NAME = 1024

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '' || name.length > MOST_NAME)
    throw invalid('name', `a string of 1 to ${MOST_NAME} characters`, 'The name of a step')
}

type Work<T> = (step: StepContext) => T | PromiseLike<T>

interface Settings<T> {
  readonly work: Work<T>
  readonly external: boolean
  readonly policy: WhenUnknown<T>
  readonly plan: Plan
  readonly timeout: number | undefined
}

/** The steps of a run: each is done once, as far as that can be known, and its outcome is stored. */
export class Steps<State> {
  readonly #state: RunState<State>
  readonly #asks: Asks<State>
  readonly #retryKey: string | undefined
  /** The errors of steps, by which a run that they end knows whose they are. */
  readonly #errors = new Map<unknown, string>()

  /** `retryKey`: the step whose error ended the run before, and which is to be done again. */
  constructor(state: RunState<State>, asks: Asks<State>, retryKey: string | undefined) {
    this.#state = state
    this.#asks = asks
    this.#retryKey = retryKey
  }

  keyOf(error: unknown): string | undefined {
    return this.#errors.get(error)
  }

  /** Begins without a pause, so that steps are counted in the order in which they are called. */
  async run<T>(
    book: Book,
    name: string,
    work: Work<T>,
    options: StepOptions<Awaited<T>>,
  ): Promise<Awaited<T>> {
    checkName(name)
    if (typeof work !== 'function') throw invalid('work', 'a function', 'What a step does')
    const { effect, whenUnknown, retries, timeout } = checkOptions('step', options, STEP)
    if (effect !== undefined && effect !== 'external' && effect !== 'none')
      throw invalid('effect', "'external' or 'none'")
    checkPolicy(whenUnknown)
    checkTimeout(timeout)
    const plan = retriesOf(retries)
    this.#state.turn.signal.throwIfAborted()
    const claim = book.claim('step', name, { external: effect === 'external' })
    const { external } = claim.intent
    const policy = whenUnknown ?? (external ? 'ask' : 'retry')
    try {
      return (await this.#outcome(book, claim, {
        work,
        external,
        policy,
        plan,
        timeout,
      } as Settings<unknown>)) as Awaited<T>
    } finally {
      book.close(claim)
      this.#asks.parkWhenIdle(book)
    }
  }

  async #outcome(book: Book, claim: Claim, settings: Settings<unknown>): Promise<unknown> {
    const { key, intent, found } = claim
    const { writer } = this.#state
    if (!found) {
      await book.inOrder(claim)
      await writer.write([{ key, at: INTENT, value: intent }], { relaxed: !settings.external })
      return this.#attempts(book, claim, settings, 1)
    }
    const { outcome, attempt } = found
    if (outcome && key !== this.#retryKey) return this.#give(key, outcome)
    return outcome
      ? this.#attempts(book, claim, settings, attempt + 1)
      : this.#unknown(book, claim, settings, attempt)
  }

  /** It was begun this often, and nobody knows how it has ended. */
  async #unknown(book: Book, claim: Claim, settings: Settings<unknown>, attempt: number): Promise<unknown> {
    const { key, intent } = claim
    const decision = await decide(settings.policy, { name: intent.name, key, attempt }, (question) =>
      this.#asks.ask(book.claimAbout(question), book),
    )
    if (decision === 'retry') return this.#attempts(book, claim, settings, attempt + 1)
    return this.#end(key, decision === 'skip' ? { value: undefined } : decision, settings.external)
  }

  async #attempts(book: Book, claim: Claim, settings: Settings<unknown>, first: number): Promise<unknown> {
    const { key } = claim
    const { external, plan, timeout, policy } = settings
    for (let attempt = first; ; attempt++) {
      if (attempt > 1) await this.#state.writer.write([{ key, at: ATTEMPT, value: attempt }])
      const tried = await this.#attempt(claim, settings, attempt, timeout)
      if ('late' in tried && external && policy !== 'retry')
        return this.#unknown(book, claim, settings, attempt)
      if ('value' in tried) return this.#end(key, tried, external)
      const error = 'late' in tried ? tried.late : tried.error
      if (attempt - first >= plan.times || !plan.when(error, attempt))
        return this.#end(key, { error }, external)
      await sleep(pauseAfter(attempt - first + 1, plan), this.#state.turn.signal)
    }
  }

  #attempt(
    { key, intent: { name } }: Claim,
    { work }: Settings<unknown>,
    attempt: number,
    timeout: number | undefined,
  ): Promise<Attempted<unknown>> {
    const { signal: stopped, token } = this.#state.turn
    return attemptOnce((signal) => work({ name, key, attempt, signal, token }), stopped, timeout)
  }

  /**
   * Stores the outcome, then gives it. Of a step that may be done again nobody waits for that: it is stored with
   * what the loop writes next.
   */
  async #end(key: string, outcome: Outcome, external: boolean): Promise<unknown> {
    const { writer } = this.#state
    const lazy = !external
    try {
      await writer.write([{ key, at: OUTCOME, value: outcome }], { lazy })
    } catch (error) {
      if (!isRefused(error)) throw error
      // What cannot be stored is the outcome from now on, as it would be after a reload.
      const kept = { error: 'error' in outcome ? plainError(outcome.error) : error }
      await writer.write([{ key, at: OUTCOME, value: kept }], { lazy })
      return this.#give(key, 'error' in outcome ? outcome : kept)
    }
    return this.#give(key, outcome)
  }

  #give(key: string, outcome: Outcome): unknown {
    if ('error' in outcome) {
      this.#errors.set(outcome.error, key)
      throw outcome.error
    }
    return 'value' in outcome ? outcome.value : undefined
  }
}
