import { CheckpointerError } from '../../../errors.ts'
import { pause } from '../../../tabs/pause.ts'
import { checkOptions, invalid, type Names } from '../../options/options.ts'
import type { Asks } from './asks.ts'
import { attemptOnce, checkTimeout, pauseAfter, retriesOf, type Attempted, type Plan } from './attempts.ts'
import type { Book, Claim, Parent } from '../journal/book.ts'
import { ATTEMPT, INTENT, OUTCOME, type Outcome } from '../journal/entries.ts'
import type { RunState } from '../run-state.ts'
import { isRefused, plainError } from '../journal/kept-error.ts'
import { linkedController } from '../linked-signal.ts'
import type { StepContext, StepOptions, WhenUnknown } from '../types.ts'
import { checkPolicy, decide } from '../journal/unknown.ts'

const STEP: Names<StepOptions> = { effect: true, whenUnknown: true, retries: true, timeout: true }
const MOST_NAME = 1024
/** Milliseconds. What came to its outcome sooner is done again as soon. */
const AT_ONCE = 1

export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '' || name.length > MOST_NAME)
    throw invalid('name', `a string of 1 to ${MOST_NAME} characters`, 'The name of a step')
}

/** Where a step is begun: since which checkpoint, and as part of what. */
interface Where {
  readonly book: Book
  readonly parent?: Parent | undefined
  /** Aborted when it is not to go on. */
  readonly stopped: AbortSignal
}

type Made = { readonly value: unknown } | { readonly error: unknown }

/** What has failed is done again with the step that it is part of. */
const isOfEarlier = (outcome: Outcome, parent: Parent | undefined): boolean =>
  'error' in outcome && parent !== undefined && (outcome.parentAttempt ?? 0) < parent.attempt

const MOST_CAUSES = 8

/** The error, its cause, and so on, as far as it lets itself be read: it is the caller's. */
function causesOf(error: unknown): unknown[] {
  const causes = [error]
  try {
    for (
      let each = error;
      each instanceof Error && each.cause !== undefined && causes.length < MOST_CAUSES;
    ) {
      each = each.cause
      causes.push(each)
    }
  } catch {
    // What is known of it has to do.
  }
  return causes
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
  readonly #again: Set<string>
  /** The errors of steps since the last checkpoint, by which a run that they end knows whose they are. */
  readonly #errors = new Map<unknown, string>()
  /** What has failed since the loop has last begun a step: it may not have seen it. */
  readonly #unseen = new Set<string>()

  /** `again`: the steps whose errors have ended the run before, and which are to be done again. */
  constructor(state: RunState<State>, asks: Asks<State>, again: ReadonlySet<string>) {
    this.#state = state
    this.#asks = asks
    this.#again = new Set(again)
  }

  /** Should the run end by this error, it is this step's. */
  blame(error: unknown, key: string): void {
    this.#errors.set(error, key)
    this.#unseen.add(key)
  }

  /** The steps to do again, should this error end the run: whose it is, or is caused by, and those that failed beside it. */
  failedBy(error: unknown): readonly string[] {
    const own = causesOf(error).flatMap((cause) => this.#errors.get(cause) ?? [])
    return own.length > 0 ? [...new Set([...own, ...this.#unseen])] : []
  }

  /** The journal is left behind: of what failed in it nothing can be done again, and an error may be large. */
  leave(): void {
    this.#errors.clear()
    this.#unseen.clear()
  }

  /** Begins without a pause, so that steps are counted in the order in which they are called. */
  async run<T>(
    { book, parent }: Omit<Where, 'stopped'>,
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
    parent?.signal.throwIfAborted()
    parent?.failed.throwIfAborted()
    const claim = book.claim('step', name, { external: effect === 'external' }, parent)
    if (!claim.found) this.#unseen.clear()
    const { external } = claim.intent
    const policy = whenUnknown ?? (external ? 'ask' : 'retry')
    const { controller, unlink } = linkedController([this.#state.turn.signal, parent?.signal])
    try {
      return (await this.#outcome({ book, parent, stopped: controller.signal }, claim, {
        work,
        external,
        policy,
        plan,
        timeout,
      } as Settings<unknown>)) as Awaited<T>
    } finally {
      unlink()
      book.close(claim)
      this.#asks.parkWhenIdle(book)
    }
  }

  async #outcome(where: Where, claim: Claim, settings: Settings<unknown>): Promise<unknown> {
    const { key, intent, found } = claim
    const { writer } = this.#state
    if (!found) {
      await where.book.inOrder(claim)
      await writer.write([{ key, at: INTENT, value: intent }], { relaxed: !settings.external })
      return this.#attempts(where, claim, settings, 1)
    }
    const { outcome, attempt } = found
    // Once: what it comes to now holds when what it is part of is tried again.
    const isAgain = this.#again.delete(key)
    if (outcome && !isAgain && !isOfEarlier(outcome, where.parent))
      return this.#give(key, where.parent ? this.#copied(outcome) : outcome)
    return outcome
      ? this.#attempts(where, claim, settings, attempt + 1)
      : this.#unknown(where, claim, settings, attempt)
  }

  /** It was begun this often, and nobody knows how it has ended. */
  async #unknown(where: Where, claim: Claim, settings: Settings<unknown>, attempt: number): Promise<unknown> {
    const { key, intent } = claim
    const decision = await decide(settings.policy, { name: intent.name, key, attempt }, (question) =>
      this.#asks.ask(where.book.claimAbout(question), where.book, where.stopped),
    )
    if (decision === 'retry') return this.#attempts(where, claim, settings, attempt + 1)
    const made = decision === 'skip' ? { value: undefined } : decision
    return this.#end(where, claim, attempt, made, settings.external)
  }

  async #attempts(where: Where, claim: Claim, settings: Settings<unknown>, first: number): Promise<unknown> {
    const { key } = claim
    const { external, plan, policy } = settings
    for (let attempt = first; ; attempt++) {
      if (attempt > 1) await this.#state.writer.write([{ key, at: ATTEMPT, value: attempt }])
      where.book.begin(claim, attempt)
      const began = performance.now()
      const isLast = attempt - first >= plan.times
      const tried = await this.#attempt(where, claim, settings, { attempt, isLast })
      if ('late' in tried && external && policy !== 'retry')
        return this.#unknown(where, claim, settings, attempt)
      const isAwaited = external || performance.now() - began >= AT_ONCE
      const { page } = this.#state.turn
      // A page that goes cuts off what it has asked for: how that ends outside nobody knows then.
      if (page.isLeft || !('value' in tried)) await page.known(where.stopped)
      if ('value' in tried) return this.#end(where, claim, attempt, tried, isAwaited)
      const error = 'late' in tried ? tried.late : tried.error
      if (isLast || !plan.when(error, attempt)) return this.#end(where, claim, attempt, { error }, isAwaited)
      await where.book.partsRest(key)
      await pause(pauseAfter(attempt - first + 1, plan), where.stopped)
    }
  }

  #attempt(
    { book, stopped }: Where,
    { key, intent: { name } }: Claim,
    { work, timeout }: Settings<unknown>,
    { attempt, isLast }: { readonly attempt: number; readonly isLast: boolean },
  ): Promise<Attempted<unknown>> {
    const { token } = this.#state.turn
    const failed = new AbortController()
    const once = async (signal: AbortSignal): Promise<unknown> => {
      const where = { book, parent: { key, attempt, signal, failed: failed.signal } }
      const step: StepContext['step'] = (inner, part, options = {}) => this.run(where, inner, part, options)
      try {
        return await work({ name, key, attempt, signal, token, step })
      } catch (error) {
        failed.abort(error)
        // What is under way beside what has failed comes to its outcome first: the next attempt is to find it.
        if (!isLast) await book.partsRest(key)
        throw error
      }
    }
    return attemptOnce(once, stopped, timeout)
  }

  /**
   * Stores the outcome, then gives it. Of a step that came to it at once, and may be done again, nobody waits for that:
   * it is stored with what the loop writes next.
   */
  async #end(
    { book, parent }: Where,
    claim: Claim,
    attempt: number,
    made: Made,
    isAwaited: boolean,
  ): Promise<unknown> {
    const { key } = claim
    const about = { attempt, ...(parent ? { parentAttempt: parent.attempt } : {}) }
    const store = async (outcome: Outcome): Promise<void> => {
      // As it is now, and as it would be after a reload: what is given may be changed by whoever it is given to.
      const kept = parent ? this.#copied(outcome) : outcome
      await this.#state.writer.write([{ key, at: OUTCOME, value: outcome }], {
        lazy: !isAwaited,
        relaxed: isAwaited,
      })
      book.end(claim, attempt, kept)
    }
    try {
      await store({ ...made, ...about })
    } catch (error) {
      if (!isRefused(error)) throw error
      // What cannot be stored is the outcome from now on, as it would be after a reload.
      const kept = { error: 'error' in made ? plainError(made.error) : notStorable(claim.intent.name, error) }
      await store({ ...kept, ...about })
      return this.#give(key, 'error' in made ? made : kept)
    }
    return this.#give(key, made)
  }

  #copied(outcome: Outcome): Outcome {
    if (!('value' in outcome)) return outcome
    const { codec } = this.#state.turn.ground
    return codec.decode(codec.capture(outcome).state) as Outcome
  }

  #give(key: string, outcome: Outcome): unknown {
    if ('error' in outcome) {
      this.blame(outcome.error, key)
      throw outcome.error
    }
    return 'value' in outcome ? outcome.value : undefined
  }
}

const notStorable = (name: string, cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    `What step '${name}' gives cannot be stored, so that a resumed run could not have it: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause, ...(CheckpointerError.is(cause) && cause.path !== undefined ? { path: cause.path } : {}) },
  )
