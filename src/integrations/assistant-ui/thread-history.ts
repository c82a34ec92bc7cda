import type { ChatModelAdapter } from '@assistant-ui/react'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { needCheckpointer } from '../shared/needed.ts'
import { Answers, type AnswersOptions } from './answers.ts'
import { ConversationThread } from './conversation-thread.ts'
import { ConversationHistory } from './history.ts'
import { hearing } from './news.ts'
import { fixed } from './whereabouts.ts'

export type ForkpointHistoryOptions = AnswersOptions

/** The history of one thread: `useLocalRuntime(model, { adapters: { history } })`. Make it once for each thread. */
export class ForkpointHistory extends ConversationHistory {
  readonly #checkpointer: Checkpointer
  readonly #conversation: ConversationThread

  /** The model that was given, so that its answers outlive the page: `useLocalRuntime(history.model, …)`. */
  readonly model: ChatModelAdapter

  constructor(checkpointer: Checkpointer, threadId: string, options: ForkpointHistoryOptions = {}) {
    const conversation = new ConversationThread(needCheckpointer(checkpointer).thread(threadId))
    const answers = new Answers(checkpointer, options)
    super(fixed(conversation), answers)
    this.model = { run: (run) => answers.run(threadId, run) }
    this.#checkpointer = checkpointer
    this.#conversation = conversation
  }

  get threadId(): string {
    return this.#conversation.id
  }

  /** Hears when another tab has changed this thread. Call what it returns to stop. */
  subscribe(listener: () => void): () => void {
    const heard = hearing(
      (id) => (id === this.threadId ? this.#conversation : undefined),
      (news) => {
        if (news.type === 'messages' && news.threadId === this.threadId) listener()
      },
    )
    return this.#checkpointer.subscribe(heard)
  }
}
