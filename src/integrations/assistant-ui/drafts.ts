import type { ChatModelRunResult } from '@assistant-ui/react'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Lease } from '../../checkpointer/leases/lease.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { Latest } from '../shared/latest.ts'
import type { KeptMessage } from './packing.ts'

/** What a model has said so far, in answer to a message. */
export interface Answer {
  readonly parentId: string
  /** The message that it goes on, with what a person has said in it: that may not be stored yet. */
  readonly behind?: KeptMessage
  readonly result?: ChatModelRunResult
  readonly hasEnded?: true
}

/** An answer that this tab gives, or has given. */
export interface Given {
  /** The message that it is to become: not every runtime says. */
  readonly messageId: string | undefined
  readonly latest: Latest<Answer>
  hasEnded: boolean
}

const ANSWER = 'assistant-ui/answer'

/** At most one write of an answer in so many milliseconds. */
const EVERY = 250

/** What is kept of the answer in a thread, in a namespace beside its messages, while this tab has the lease on it. */
export class Drafts {
  readonly #thread: Thread<Answer>
  readonly #lease: Lease
  /** The answer that was begun last, until it is let go of. */
  #given: Given | undefined

  private constructor(thread: Thread<Answer>, lease: Lease) {
    this.#thread = thread
    this.#lease = lease
  }

  /** Nothing when another tab gives an answer in this thread. */
  static async hold(
    checkpointer: Checkpointer,
    threadId: string,
    wait: number | false,
  ): Promise<Drafts | undefined> {
    const thread = checkpointer.thread<Answer>(threadId, { namespace: ANSWER })
    try {
      return new Drafts(thread, await thread.lease({ wait }))
    } catch (error) {
      if (CheckpointerError.is(error, 'BLOCKED')) return undefined
      throw error
    }
  }

  get given(): Given | undefined {
    return this.#given
  }

  /** Another tab has the thread by now, or it was deleted. */
  get isLost(): boolean {
    return this.#lease.signal.aborted
  }

  async load(): Promise<Answer | undefined> {
    return (await this.#thread.load())?.state
  }

  /** An answer begins, or goes on with what was kept of it; nothing more is kept of the one before. */
  async begin(
    messageId: string | undefined,
    answer: Answer | undefined,
    onError: (error: CheckpointerError) => void,
  ): Promise<Given> {
    await this.#given?.latest.end()
    if (answer) await this.#thread.save(answer)
    const latest = new Latest<Answer>({
      every: EVERY,
      most: Number.POSITIVE_INFINITY,
      write: async (answer) => void (await this.#thread.save(answer)),
      onError,
    })
    this.#given = { messageId, latest, hasEnded: false }
    return this.#given
  }

  /** For when the answer is a message. */
  async remove(): Promise<void> {
    await this.#given?.latest.end()
    const ids: string[] = []
    for await (const { id } of this.#thread.history()) ids.push(id)
    if (ids.length > 0) await this.#thread.deleteCheckpoints(ids)
  }

  async letGo(): Promise<void> {
    await this.#given?.latest.end()
    await this.#lease.release()
  }
}
