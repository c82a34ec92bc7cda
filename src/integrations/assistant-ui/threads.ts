import {
  useAui,
  type ChatModelAdapter,
  type RemoteThreadListAdapter,
  type ThreadMessage,
} from '@assistant-ui/react'
import { useEffect, useMemo, useRef } from 'react'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { randomId } from '../../ids.ts'
import { InUse } from '../shared/in-use.ts'
import { needCheckpointer } from '../shared/needed.ts'
import { changeAbout, metadataOf, type About } from './about.ts'
import { Answers, type AnswersOptions } from './answers.ts'
import { ConversationThread, noThread } from './conversation-thread.ts'
import { ConversationHistory } from './history.ts'
import { hearing, type ForkpointNews } from './news.ts'
import { pageOfThreads } from './page-of-threads.ts'
import { titleFrom, titleStream } from './title.ts'
import { CHAT } from './unsettled.ts'
import { inList } from './whereabouts.ts'

/** How assistant-ui calls a thread that it has made, for as long as its page lives. */
const LOCAL = '__LOCALID_'

export interface ForkpointThreadsOptions extends AnswersOptions {
  /** Makes a title of a thread's first messages. What the user asked first, when absent. */
  readonly title?: ((messages: readonly ThreadMessage[]) => string | Promise<string>) | undefined
  /** How many threads a page of the list has; 50 when absent. */
  readonly pageSize?: number | undefined
}

export interface ForkThreadOptions {
  /** The id of the message that the fork ends with. */
  readonly at?: string | undefined
  /** Its title; that of its origin when absent. */
  readonly title?: string | undefined
}

type Adapter = RemoteThreadListAdapter
type Of<Method extends 'list' | 'initialize' | 'fetch' | 'generateTitle'> = ReturnType<Adapter[Method]>

/**
 * The list of threads, each with its history: `useRemoteThreadListRuntime({ adapter: new ForkpointThreads(checkpointer),
 * runtimeHook })`. Make it once, outside of what is rendered.
 */
export class ForkpointThreads implements Adapter {
  readonly #checkpointer: Checkpointer
  readonly #options: ForkpointThreadsOptions
  readonly #answers: Answers
  readonly #conversations = new InUse<ConversationThread>()
  /** The threads that were made here, by what assistant-ui called them before. */
  readonly #made = new Map<string, string>()

  /** The model that was given, so that its answers outlive the page: `runtimeHook: () => useLocalRuntime(threads.model)`. */
  readonly model: ChatModelAdapter

  constructor(checkpointer: Checkpointer, options: ForkpointThreadsOptions = {}) {
    this.#checkpointer = needCheckpointer(checkpointer)
    this.#options = options
    const isGone = async (id: string): Promise<boolean> =>
      (await this.#conversations.get(id)?.isGone()) ?? false
    this.#answers = new Answers(checkpointer, options, isGone)
    this.model = { run: (run) => this.#answers.run(run.unstable_threadId, run) }
  }

  list({ after }: { after?: string | undefined } = {}): Of<'list'> {
    return pageOfThreads(this.#checkpointer, this.#options.pageSize ?? 50, after)
  }

  /**
   * Where a transport of `forkpoint/ai-sdk` is to keep the chats of the list, so that their answers go where they go:
   * `new ForkpointTransport({ …, placeOf: threads.placeOf })`.
   */
  readonly placeOf = (chatId: string): { readonly id: string; readonly namespace: string } => ({
    id: chatId.startsWith(LOCAL) ? this.#remoteIdOf(chatId) : chatId,
    namespace: CHAT,
  })

  async initialize(threadId: string): Of<'initialize'> {
    const remoteId = this.#remoteIdOf(threadId)
    await changeAbout(this.#checkpointer, remoteId, 'create', (about) => about)
    return { remoteId, externalId: undefined }
  }

  async fetch(threadId: string): Of<'fetch'> {
    const head = await this.#checkpointer.thread(threadId).load()
    const metadata = await metadataOf(this.#checkpointer, { id: threadId, ...(head ? { head } : {}) })
    if (metadata) return metadata
    throw noThread(threadId)
  }

  rename(remoteId: string, title: string): Promise<void> {
    return this.#change(remoteId, 'rename', (about) => ({ ...about, title }))
  }

  updateCustom(remoteId: string, custom: Record<string, unknown> | undefined): Promise<void> {
    return this.#change(remoteId, 'custom', ({ custom: _old, ...about }) =>
      custom ? { ...about, custom } : about,
    )
  }

  archive(remoteId: string): Promise<void> {
    return this.#change(remoteId, 'archive', (about) => ({ ...about, status: 'archived' }))
  }

  unarchive(remoteId: string): Promise<void> {
    return this.#change(remoteId, 'unarchive', (about) => ({
      ...about,
      status: 'regular',
    }))
  }

  /** With its messages; forks of it stay. */
  async delete(remoteId: string): Promise<void> {
    await this.#conversation(remoteId).deleteThread()
  }

  /** Another thread, with what was said up to a message, or up to the latest. Gives its id. */
  async fork(remoteId: string, options: ForkThreadOptions = {}): Promise<string> {
    const twin = await this.#conversation(remoteId).fork(options.at)
    const { title = (await this.fetch(remoteId)).title } = options
    await changeAbout(this.#checkpointer, twin.id, 'create', (about) =>
      title === undefined ? about : { ...about, title },
    )
    return twin.id
  }

  async generateTitle(remoteId: string, messages: readonly ThreadMessage[]): Of<'generateTitle'> {
    const title = await (this.#options.title ?? titleFrom)(messages)
    if (title !== '') await this.rename(remoteId, title)
    return titleStream(title)
  }

  /** Hears of what other tabs do: to the list, or to the messages of a thread. Call what it returns to stop. */
  subscribe(listener: (news: ForkpointNews) => void): () => void {
    return this.#checkpointer.subscribe(hearing((id) => this.#conversations.get(id), listener))
  }

  /** A hook, which assistant-ui calls for each thread that is open. */
  readonly unstable_useAdapters = (): { history: ConversationHistory } => {
    const client = useAui()
    const latest = useRef(client)
    useEffect(() => {
      latest.current = client
    })
    return useMemo(() => {
      const where = inList(
        () => latest.current,
        (id) => this.#conversation(id),
      )
      return { history: new ConversationHistory(where, this.#answers) }
    }, [])
  }

  #remoteIdOf(localId: string): string {
    const remoteId = this.#made.get(localId) ?? randomId()
    this.#made.set(localId, remoteId)
    return remoteId
  }

  /** Not of a thread that was deleted: a title that comes behind that would bring it back. */
  async #change(id: string, node: string, change: (about: About) => About): Promise<void> {
    await this.#conversations.get(id)?.isGone()
    await changeAbout(this.#checkpointer, id, node, (about) => {
      if (this.#conversations.get(id)?.isDeleted) throw noThread(id)
      return change(about)
    })
  }

  #conversation(id: string): ConversationThread {
    return this.#conversations.use(id, () => {
      const chat = this.#checkpointer.thread(id, { namespace: CHAT })
      return new ConversationThread(this.#checkpointer.thread(id), chat)
    })
  }
}
