import { DirectChatTransport, type ChatTransport, type UIMessage, type UIMessageChunk } from 'ai'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { checkFunction, checkOptions, invalid, type Names } from '../../checkpointer/options/options.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { linked } from '../shared/linked.ts'
import { needCheckpointer } from '../shared/needed.ts'
import type { Ask, Send } from './request.ts'
import { branchesOf, chooseBranch, groundOf, type ChatBranch } from './branches.ts'
import { answerIn, isSame, messagesIn, stepsIn, tidy, type Chat, type ChatThread } from './chat.ts'
import { begin, followOn, type Giving } from './give.ts'
import { withOutcomes } from './outcomes.ts'
import type { Journal } from './tools/journal.ts'
import { Shown } from './shown.ts'
import { isToBeShown, UnderWay, type StreamIds } from './under-way.ts'

export type { ChatBranch }

export interface ForkpointTransportOptions<Message extends UIMessage> {
  readonly checkpointer: Checkpointer
  /**
   * What answers. A function is called for each answer: the tools that it gives an agent by way of `journal.tools`
   * do not do a call twice, whatever becomes of the page.
   */
  readonly transport: ChatTransport<Message> | ((journal: Journal) => ChatTransport<Message>)
  /**
   * What becomes of a step that was cut off, of which the transport has no more. `'restart'`: it is asked for again,
   * as long as no tool was called. `'keep'`: it ends there, and says so. When absent, `'restart'` for a
   * `DirectChatTransport`, and `'keep'` for others: what a server has done meanwhile is not known.
   */
  readonly whenCut?: 'restart' | 'keep' | undefined
  /** Where a chat is kept: in the thread that has its id, when absent. */
  readonly placeOf?: ((chatId: string) => ChatPlace) | undefined
}

interface Loaded {
  /** The checkpoint that they stood in. */
  readonly head: string | undefined
  readonly ids: readonly string[]
}

export interface ChatPlace {
  /** Of a thread. */
  readonly id: string
  readonly namespace?: string | undefined
}

const OPTIONS: Names<ForkpointTransportOptions<UIMessage>> = {
  checkpointer: true,
  transport: true,
  whenCut: true,
  placeOf: true,
}

type Reconnect = Parameters<ChatTransport<UIMessage>['reconnectToStream']>[0]

/** So long, in milliseconds, an answer that is just ending is waited for; then another tab is taken to have the chat. */
const PATIENCE = 3_000
/** Who has the chat, and answers nothing in it, has just begun, or was killed: without locks that is seen after six seconds. */
const UNTIL_GONE = 8_000
const MOMENT = 300

/**
 * An answer that is just ending is not written over: what its tools come to is waited for. Without locks the runner is
 * looked at for as long as it takes to know that it is gone, which is longer than a lease is waited for.
 */
async function whenFree(thread: Pick<Thread, 'latestRun' | 'lease'>): Promise<void> {
  const run = await thread.latestRun()
  if (run?.status === 'running') await (await thread.lease({ wait: PATIENCE })).release()
}

/**
 * Keeps a chat of the AI SDK: what its transport gives is logged as it comes, each step is a checkpoint of the thread
 * that has the chat's id, and after a reload the answer goes on where it was.
 */
export class ForkpointTransport<Message extends UIMessage = UIMessage> implements ChatTransport<Message> {
  /** What is reconnected to begins with all there is of the answer. */
  readonly resumeStreamIsReplay = true
  readonly #options: ForkpointTransportOptions<Message>
  readonly #underWay = new UnderWay((chatId) => this.#thread(chatId))
  /** Those that were made and hold something open. */
  readonly #made = new Set<ChatTransport<Message>>()
  /** Which messages were loaded of a chat, until it says something. */
  readonly #loaded = new Map<string, Loaded>()

  constructor(options: ForkpointTransportOptions<Message>) {
    this.#options = checkOptions('ForkpointTransport', options, OPTIONS)
    const { checkpointer, transport, whenCut, placeOf } = this.#options
    needCheckpointer(checkpointer)
    checkFunction('placeOf', placeOf)
    if (typeof transport !== 'function' && typeof (transport as unknown) !== 'object')
      throw invalid('transport', 'a ChatTransport, or a function that gives one')
    if (whenCut !== undefined && whenCut !== 'restart' && whenCut !== 'keep')
      throw invalid('whenCut', "'restart' or 'keep'")
  }

  /** The messages of a chat, on the branch that it is on: for `useChat({ id, messages })`. */
  async loadMessages(chatId: string): Promise<Message[]> {
    const head = await this.#thread(chatId).load()
    const messages = head ? messagesIn(head) : []
    this.#loaded.set(chatId, { head: head?.id, ids: messages.map(({ id }) => id) })
    return messages
  }

  /** All answers there are to what this one answers; none for a message that is no answer. */
  branches(chatId: string, messageId: string): Promise<readonly ChatBranch[]> {
    return branchesOf(this.#thread(chatId), messageId)
  }

  /** Goes back to another answer, and to all that came after it; gives the messages, for `setMessages`. */
  choose(chatId: string, messageId: string): Promise<Message[]> {
    this.#loaded.delete(chatId)
    return chooseBranch(this.#thread(chatId), messageId)
  }

  /** Answers the last of these messages. What the chat had in its place stays, as another branch. */
  async sendMessages(options: Send<Message>): Promise<ReadableStream<UIMessageChunk>> {
    const { abortSignal, messages, ...ask } = options
    this.#loaded.delete(ask.chatId)
    const giving = this.#giving(ask, abortSignal)
    const { thread, shown } = giving
    await whenFree(thread)
    const head = await thread.load()
    const answer = answerIn(messages)
    const steps = answer ? stepsIn(answer) : 0
    if (head?.runId !== undefined && ask.trigger === 'submit-message' && isSame(messagesIn(head), messages)) {
      const stored = answerIn(messagesIn(head))
      if (answer) shown.assume(steps, stored ? stepsIn(stored) : 0)
      const { runId } = head
      // Who sends the same again wants it to be asked for again.
      if (await begin({ ...giving, mayAskAgain: true }, { runId, retry: true, wait: UNTIL_GONE }))
        return shown.stream
    }
    if (answer) shown.assume(steps, steps)
    const known = withOutcomes(head ? messagesIn(head) : [], messages).map(tidy)
    const asked = answerIn(known)
    const state = { messages: known, asked: asked ? stepsIn(asked) : 0 }
    const from = head && (await groundOf(thread, head, messages))
    await begin(giving, { from, initial: state, edit: () => state, wait: UNTIL_GONE })
    return shown.stream
  }

  /**
   * The answer that is under way, in whichever tab, from its beginning; or one that was cut off, which goes on; or one that has
   * ended since the messages were loaded.
   */
  async reconnectToStream({
    abortSignal,
    ...ask
  }: Reconnect): Promise<ReadableStream<UIMessageChunk> | null> {
    const giving = this.#giving(ask, abortSignal)
    const { thread, shown, mayAskAgain } = giving
    const run = await thread.latestRun()
    if (abortSignal?.aborted) return null
    if (!isToBeShown(run)) return this.#missed(giving)
    const { runId, status } = run
    // What has failed is not asked for again before anybody wants that.
    if (status !== 'failed' || !mayAskAgain)
      try {
        return (await begin(giving, { runId, wait: MOMENT })) ? shown.stream : null
      } catch (error) {
        if (!CheckpointerError.is(error, 'BLOCKED')) throw error
      }
    followOn(giving, runId)
    return shown.stream
  }

  /** For the runtime of assistant-ui, which asks a transport so whether there is something to go on with. */
  getResumableAdapter(): { readonly storage: StreamIds } {
    return { storage: this.#underWay }
  }

  /** Closes what is wrapped, and what was made for answers; `Chat.dispose` calls it. The checkpointer stays open. */
  close(): void {
    const { transport } = this.#options
    if (typeof transport !== 'function') transport.close?.()
    for (const made of this.#made) made.close?.()
    this.#made.clear()
  }

  #thread(chatId: string): ChatThread<Message> {
    const { checkpointer, placeOf = (id: string): ChatPlace => ({ id }) } = this.#options
    const { id, namespace = '' } = placeOf(chatId)
    return checkpointer.thread<Chat<Message>>(id, { namespace })
  }

  /** The last answer, when it is all that the chat lacks of what is stored. */
  async #missed({ thread, shown, ask }: Giving<Message>): Promise<ReadableStream<UIMessageChunk> | null> {
    const loaded = this.#loaded.get(ask.chatId)
    const head = loaded && (await thread.load())
    if (!head || head.id === loaded.head) return null
    const messages = messagesIn(head)
    const answer = answerIn(messages)
    const before = loaded.ids.filter((id) => id !== answer?.id)
    if (!answer || before.length !== messages.length - 1) return null
    if (!before.every((id, i) => id === messages[i]?.id)) return null
    shown.show(answer)
    shown.end()
    return shown.stream
  }

  #transportFor(journal: Journal): ChatTransport<Message> {
    const { transport } = this.#options
    if (typeof transport !== 'function') return transport
    const made = transport(journal)
    if (made.close) this.#made.add(made)
    return made
  }

  #giving(ask: Ask<Message>, abortSignal: AbortSignal | undefined): Giving<Message> {
    const { checkpointer, transport, whenCut } = this.#options
    const stop = linked(abortSignal)
    const isHere = typeof transport === 'function' || transport instanceof DirectChatTransport
    return {
      checkpointer,
      transportOf: (journal) => this.#transportFor(journal),
      mayAskAgain: (whenCut ?? (isHere ? 'restart' : 'keep')) === 'restart',
      thread: this.#thread(ask.chatId),
      ask,
      shown: new Shown(() => stop.abort()),
      stop: stop.signal,
    }
  }
}
