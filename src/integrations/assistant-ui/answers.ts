import type {
  ChatModelAdapter,
  ChatModelRunOptions,
  ChatModelRunResult,
  ThreadMessage,
} from '@assistant-ui/react'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Lease } from '../../checkpointer/leases/lease.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { errorOf, Latest } from '../shared/latest.ts'
import { taken } from '../shared/taken.ts'
import { packed, unpacked, type KeptMessage } from './packing.ts'

/** What a model has said so far, in answer to a message. */
interface Answer {
  readonly parentId: string
  /** The message that it goes on, with what a person has said in it: that may not be stored yet. */
  readonly behind?: KeptMessage
  readonly result?: ChatModelRunResult
  readonly hasEnded?: true
}

interface Held {
  readonly thread: Thread<Answer>
  readonly lease: Lease
}

interface Begun {
  readonly thread: Thread<Answer>
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

const ANSWER = 'assistant-ui/answer'

/** A page that goes may still be on its way. */
const PATIENCE = 500
/** At most one write of an answer in so many milliseconds. */
const EVERY = 250

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
 * Keeps what a model says while it says it, in a namespace beside the messages; so that an answer that a reload has cut off
 * is shown and given anew, by one tab.
 */
export class Answers {
  readonly #checkpointer: Checkpointer
  readonly #isAsked: boolean
  readonly #model: ChatModelAdapter
  readonly #onError: (error: CheckpointerError) => void
  /** By thread, from when an answer is looked for, or begins, until it is stored as a message. */
  readonly #held = new Map<string, Held>()
  /** By thread, the message that the last answer has become, when that has ended. */
  readonly #ended = new Map<string, string | undefined>()

  constructor(checkpointer: Checkpointer, { model, onError = console.warn }: AnswersOptions) {
    this.#checkpointer = checkpointer
    this.#isAsked = model !== undefined
    this.#model = model ?? NO_MODEL
    this.#onError = onError
  }

  /** The answer to a message, or that goes on in it, if it was cut off and is for this tab to give. */
  async cutOff(threadId: string, headId: string): Promise<CutOff | undefined> {
    if (!this.#isAsked) return undefined
    const held = await this.#hold(threadId, PATIENCE)
    const kept = (await held?.thread.load())?.state
    if (kept && follows(kept) === headId) return { behind: kept.behind && unpacked(kept.behind) }
    await this.#letGo(threadId)
    return undefined
  }

  /** Asks the model, and keeps what it says. */
  run(threadId: string | undefined, options: ChatModelRunOptions): AsyncGenerator<ChatModelRunResult, void> {
    return this.#give(threadId, options, false)
  }

  /** The same, with what was kept of the answer first; one that had ended is not asked for again. */
  resume(
    threadId: string | undefined,
    options: ChatModelRunOptions,
  ): AsyncGenerator<ChatModelRunResult, void> {
    return this.#give(threadId, options, true)
  }

  async *#give(
    threadId: string | undefined,
    options: ChatModelRunOptions,
    isResumed: boolean,
  ): AsyncGenerator<ChatModelRunResult, void> {
    if (threadId !== undefined) this.#ended.delete(threadId)
    try {
      yield* this.#kept(threadId, options, isResumed)
    } finally {
      if (threadId !== undefined) this.#ended.set(threadId, options.unstable_assistantMessageId)
    }
  }

  async *#kept(
    threadId: string | undefined,
    options: ChatModelRunOptions,
    isResumed: boolean,
  ): AsyncGenerator<ChatModelRunResult, void> {
    const parentId = options.unstable_parentId ?? undefined
    const begun =
      threadId === undefined || parentId === undefined
        ? undefined
        : await this.#begin(threadId, parentId, options, isResumed)
    if (!begun) return yield* this.#asked(options)
    const { thread, kept, answer } = begun
    if (kept?.result) yield kept.result
    if (kept?.hasEnded) return
    const latest = new Latest<Answer>({
      every: EVERY,
      most: Number.POSITIVE_INFINITY,
      write: async (answer) => void (await thread.save(answer)),
      onError: this.#onError,
    })
    let result: ChatModelRunResult | undefined
    for await (result of this.#asked(options)) {
      latest.put({ ...answer, result })
      yield result
    }
    if (result) latest.put({ ...answer, result, hasEnded: true })
    latest.write()
    await latest.settled()
  }

  /** Nothing when another tab gives an answer in this thread, or none can be kept. */
  async #begin(
    threadId: string,
    parentId: string,
    options: ChatModelRunOptions,
    isResumed: boolean,
  ): Promise<Begun | undefined> {
    try {
      const held = await this.#hold(threadId, false)
      if (!held) return undefined
      const { thread } = held
      const kept = isResumed ? (await thread.load())?.state : undefined
      if (kept && follows(kept) === parentId) return { thread, kept, answer: { parentId } }
      const message = options.unstable_getMessage()
      const isGoneOn = message.role === 'assistant' && message.content.length > 0
      const behind = isGoneOn ? { behind: taken('The message', await packed(message)) } : {}
      const answer = { parentId, ...behind }
      await thread.save(answer)
      return { thread, answer }
    } catch (cause) {
      this.#onError(errorOf(cause))
      return undefined
    }
  }

  /** The answer is a message now: what was kept of it goes, and what was held for it is let go. */
  async stored(threadId: string): Promise<void> {
    try {
      await this.#remove(threadId)
    } catch (cause) {
      // The message is stored. The next one takes along what is left of this.
      this.#onError(errorOf(cause))
    }
  }

  /** A message is stored again: it may be an answer that had waited for a person, and went on. */
  async storedAgain(threadId: string, messageId: string): Promise<void> {
    if (!this.#ended.has(threadId)) return
    // Not every runtime says which message it makes of an answer.
    const ended = this.#ended.get(threadId) ?? messageId
    if (ended === messageId) await this.stored(threadId)
  }

  async #remove(threadId: string): Promise<void> {
    const held = this.#held.get(threadId)
    try {
      if (held) await removeAll(held.thread)
    } finally {
      await this.#letGo(threadId)
    }
  }

  async #letGo(threadId: string): Promise<void> {
    const held = this.#held.get(threadId)
    this.#held.delete(threadId)
    await held?.lease.release()
  }

  async #hold(threadId: string, wait: number | false): Promise<Held | undefined> {
    const known = this.#held.get(threadId)
    if (known && !known.lease.signal.aborted) return known
    const thread = this.#checkpointer.thread<Answer>(threadId, { namespace: ANSWER })
    try {
      const held = { thread, lease: await thread.lease({ wait }) }
      this.#held.set(threadId, held)
      return held
    } catch (error) {
      if (CheckpointerError.is(error, 'BLOCKED')) return undefined
      throw error
    }
  }

  async *#asked(options: ChatModelRunOptions): AsyncGenerator<ChatModelRunResult, void> {
    const answer = this.#model.run(options)
    if (Symbol.asyncIterator in answer) yield* answer
    else yield await answer
  }
}

/** The message that it is shown below when it is given anew. */
const follows = ({ parentId, behind }: Answer): string => behind?.id ?? parentId

async function removeAll(drafts: Thread<Answer>): Promise<void> {
  const ids: string[] = []
  for await (const { id } of drafts.history()) ids.push(id)
  if (ids.length > 0) await drafts.deleteCheckpoints(ids)
}
