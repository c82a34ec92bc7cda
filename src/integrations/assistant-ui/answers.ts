import type {
  ChatModelAdapter,
  ChatModelRunOptions,
  ChatModelRunResult,
  ThreadMessage,
} from '@assistant-ui/react'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { CheckpointerError } from '../../errors.ts'
import { Turns } from '../../platform/turns.ts'
import { errorOf } from '../shared/latest.ts'
import { taken } from '../shared/taken.ts'
import { Drafts, type Answer, type Given } from './drafts.ts'
import { packed, unpacked } from './packing.ts'

interface Begun {
  readonly given: Given
  /** What each draft of it says. */
  readonly answer: Answer
  /** What there is of it already. */
  readonly kept?: Answer
}

/** An answer that was cut off. */
export interface CutOff {
  /** The message that it went on, if it did. */
  readonly behind: ThreadMessage | undefined
}

/** A page that goes may still be on its way. */
const PATIENCE = 500
export interface AnswersOptions {
  /** What answers. With it, an answer that a reload has cut off is given anew. */
  readonly model?: ChatModelAdapter | undefined
  /** Told when what a model says cannot be kept while it says it. A warning on the console, when absent. */
  readonly onError?: ((error: CheckpointerError) => void) | undefined
}

/** What is said where no model was given, and one is asked for. */
const NO_MODEL: ChatModelAdapter = {
  run: () =>
    Promise.reject(
      new CheckpointerError('INVALID', 'There is no model: give one as the option `model`.', {
        path: 'model',
      }),
    ),
}

/**
 * Keeps what a model says while it says it; so that an answer that a reload has cut off is shown and given anew, by one tab.
 */
export class Answers {
  readonly #checkpointer: Checkpointer
  readonly #isAsked: boolean
  readonly #model: ChatModelAdapter
  readonly #onError: (error: CheckpointerError) => void
  readonly #isGone: (threadId: string) => Promise<boolean>
  /** By thread, from when an answer is looked for, or begins, until it is stored as a message. */
  readonly #held = new Map<string, Drafts>()
  /** By thread: what one call holds another may let go of. */
  readonly #turns = new Turns()
  /** The message that was appended last, and what tells its thread. */
  #newest: { readonly messageId: string; readonly threadId: () => Promise<string> } | undefined

  /** `isGone`: whether a thread was deleted here. */
  constructor(
    checkpointer: Checkpointer,
    { model, onError = console.warn }: AnswersOptions,
    isGone: (threadId: string) => Promise<boolean> = async () => false,
  ) {
    this.#checkpointer = checkpointer
    this.#isGone = isGone
    this.#isAsked = model !== undefined
    this.#model = model ?? NO_MODEL
    this.#onError = onError
  }

  /** The answer to a message, or that goes on in it, if it was cut off and is for this tab to give. */
  async cutOff(threadId: string, headId: string): Promise<CutOff | undefined> {
    if (!this.#isAsked) return undefined
    return this.#turns.take(threadId, async () => {
      const drafts = await this.#hold(threadId, PATIENCE)
      const kept = await drafts?.load()
      // What this tab gives, or what was stopped or has failed here, is not asked for again.
      const isAsked = drafts?.given !== undefined && !kept?.hasEnded
      if (kept && follows(kept) === headId && !isAsked)
        return { behind: kept.behind && unpacked(kept.behind) }
      if (!drafts?.given) await this.#letGo(threadId)
      return undefined
    })
  }

  /** A message is being appended. A runtime asks for its answer at once, when it cannot name a thread yet that it has just made. */
  appends(messageId: string, threadId: () => Promise<string>): void {
    this.#newest = { messageId, threadId }
  }

  /** Asks the model, and keeps what it says. */
  run(threadId: string | undefined, options: ChatModelRunOptions): AsyncGenerator<ChatModelRunResult, void> {
    return this.#kept(threadId, options, false)
  }

  /** The same, with what was kept of the answer first; one that had ended is not asked for again. */
  resume(
    threadId: string | undefined,
    options: ChatModelRunOptions,
  ): AsyncGenerator<ChatModelRunResult, void> {
    return this.#kept(threadId, options, true)
  }

  async *#kept(
    threadId: string | undefined,
    options: ChatModelRunOptions,
    isResumed: boolean,
  ): AsyncGenerator<ChatModelRunResult, void> {
    const parentId = options.unstable_parentId ?? undefined
    const begun =
      parentId === undefined ? undefined : await this.#begin(threadId, parentId, options, isResumed)
    if (!begun) return yield* this.#asked(options)
    const { given, kept, answer } = begun
    const { latest } = given
    try {
      if (kept?.result) yield kept.result
      if (kept?.hasEnded) return
      let result: ChatModelRunResult | undefined
      for await (result of this.#asked(options)) {
        latest.put({ ...answer, result })
        yield result
      }
      if (result) latest.put({ ...answer, result, hasEnded: true })
      latest.write()
      await latest.settled()
    } finally {
      given.hasEnded = true
    }
  }

  /** Nothing when another tab gives an answer in this thread, or none can be kept. */
  async #begin(
    named: string | undefined,
    parentId: string,
    options: ChatModelRunOptions,
    isResumed: boolean,
  ): Promise<Begun | undefined> {
    const { unstable_assistantMessageId: messageId } = options
    try {
      const threadId = named ?? (await this.#threadOf(parentId))
      if (threadId === undefined) return undefined
      return await this.#turns.take(threadId, async () => {
        const drafts = await this.#hold(threadId, false)
        if (!drafts) return undefined
        // Only now: of one that is deleted later the lease goes too.
        if (await this.#isGone(threadId)) {
          await this.#letGo(threadId)
          return undefined
        }
        const kept = isResumed ? await drafts.load() : undefined
        if (kept && follows(kept) === parentId)
          return {
            given: await drafts.begin(messageId, undefined, this.#onError),
            kept,
            answer: { parentId },
          }
        const message = options.unstable_getMessage()
        const isGoneOn = message.role === 'assistant' && message.content.length > 0
        const behind = isGoneOn ? { behind: taken('The message', await packed(message)) } : {}
        const answer = { parentId, ...behind }
        return { given: await drafts.begin(messageId, answer, this.#onError), answer }
      })
    } catch (cause) {
      this.#onError(errorOf(cause))
      return undefined
    }
  }

  #threadOf(messageId: string): Promise<string> | undefined {
    return this.#newest?.messageId === messageId ? this.#newest.threadId() : undefined
  }

  /** The answer is a message now: what was kept of it goes, and what was held for it is let go. */
  async stored(threadId: string): Promise<void> {
    try {
      await this.#turns.take(threadId, () => this.#remove(threadId))
    } catch (cause) {
      // The message is stored. The next one takes along what is left of this.
      this.#onError(errorOf(cause))
    }
  }

  /** A message is stored again: it may be an answer that had waited for a person, and went on. */
  async storedAgain(threadId: string, messageId: string): Promise<void> {
    const given = this.#held.get(threadId)?.given
    if (given && (given.messageId ?? messageId) === messageId) await this.stored(threadId)
  }

  async #remove(threadId: string): Promise<void> {
    const drafts = this.#held.get(threadId)
    // One that is under way has stopped the one that is stored: it goes with its own message.
    if (!drafts || drafts.given?.hasEnded === false) return
    try {
      if (!drafts.isLost) await drafts.remove()
    } finally {
      await this.#letGo(threadId)
    }
  }

  async #letGo(threadId: string): Promise<void> {
    const drafts = this.#held.get(threadId)
    this.#held.delete(threadId)
    await drafts?.letGo()
  }

  async #hold(threadId: string, wait: number | false): Promise<Drafts | undefined> {
    const known = this.#held.get(threadId)
    if (known && !known.isLost) return known
    const drafts = await Drafts.hold(this.#checkpointer, threadId, wait)
    if (drafts) this.#held.set(threadId, drafts)
    return drafts
  }

  async *#asked(options: ChatModelRunOptions): AsyncGenerator<ChatModelRunResult, void> {
    const answer = this.#model.run(options)
    if (Symbol.asyncIterator in answer) yield* answer
    else yield await answer
  }
}

/** The message that it is shown below when it is given anew. */
const follows = ({ parentId, behind }: Answer): string => behind?.id ?? parentId
