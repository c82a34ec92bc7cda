import type {
  ChatModelRunOptions,
  ChatModelRunResult,
  ExportedMessageRepository,
  ExportedMessageRepositoryItem,
  GenericThreadHistoryAdapter,
  MessageFormatAdapter,
  MessageFormatItem,
  ThreadHistoryAdapter,
  ThreadMessage,
} from '@assistant-ui/react'
import { frozen } from '../shared/frozen.ts'
import { taken } from '../shared/taken.ts'
import type { Answers } from './answers.ts'
import { oneByOne } from '../shared/turns.ts'
import type { Tree } from './branches.ts'
import { packed, unpacked } from './packing.ts'
import type { Entry } from './stored.ts'
import { saidIn } from './unsettled.ts'
import type { Whereabouts } from './whereabouts.ts'

/** The format of assistant-ui's own messages. */
const OWN_FORMAT = 'assistant-ui'

const EMPTY: Tree = { messages: [], headId: null }

/** What a runtime of assistant-ui keeps its messages in: each with its place in the tree, so that all branches come back. */
export class ConversationHistory implements ThreadHistoryAdapter {
  readonly #where: Whereabouts
  readonly #answers: Answers
  /** A runtime does not wait for a question to be stored before it stores the answer. */
  readonly #inTurn = oneByOne()

  constructor(where: Whereabouts, answers: Answers) {
    this.#where = where
    this.#answers = answers
  }

  async load(): Promise<Awaited<ReturnType<ThreadHistoryAdapter['load']>>> {
    const { headId, messages } = await this.#read(this.#where, OWN_FORMAT)
    const items = messages.map(({ entry, parentId }) => ({ ...toItem(entry), parentId }))
    const head = items.find(({ message }) => message.id === headId)
    const id = this.#where.known()?.id
    if (!head || !isToBeAnswered(head.message) || id === undefined) return { headId, messages: items }
    const cutOff = await this.#answers.cutOff(id, head.message.id)
    if (!cutOff) return { headId, messages: items }
    const { behind } = cutOff
    if (behind?.role === 'assistant' && head.message.role === 'assistant') {
      // It stays one that has waited for a person: what follows their word comes below it.
      head.message = { ...behind, status: head.message.status }
      const stored = await toEntry(head)
      await this.#inTurn(async () => this.#where.known()?.update(stored, head.parentId))
    }
    return { headId, messages: items, unstable_resume: true }
  }

  /** Gives an answer that was cut off: what there was of it, and then all of it, anew. */
  async *resume(options: ChatModelRunOptions): AsyncGenerator<ChatModelRunResult, void> {
    yield* this.#answers.resume(this.#where.known()?.id, options)
  }

  append(item: ExportedMessageRepositoryItem): Promise<void> {
    this.#answers.appends(item.message.id, async () => (await this.#where.needed()).id)
    return this.#inTurn(async () => {
      const thread = await this.#where.needed()
      await thread.append(await toEntry(item), item.parentId)
      if (item.message.role === 'assistant') await this.#answers.stored(thread.id)
    })
  }

  update(item: ExportedMessageRepositoryItem): Promise<void> {
    return this.#inTurn(async () => {
      const thread = await this.#where.needed()
      await thread.update(await toEntry(item), item.parentId)
      await this.#answers.storedAgain(thread.id, item.message.id)
    })
  }

  delete(items: ExportedMessageRepositoryItem[]): Promise<void> {
    return this.#delete(
      this.#where,
      items.map(({ message }) => message.id),
    )
  }

  /** For runtimes with messages of their own, as those of the AI SDK. */
  withFormat<Message, Storage extends Record<string, unknown>>(
    adapter: MessageFormatAdapter<Message, Storage>,
  ): GenericThreadHistoryAdapter<Message> {
    const { format } = adapter
    let where = this.#where
    const toEntry = (item: MessageFormatItem<Message>): Entry => ({
      id: adapter.getId(item.message),
      format,
      content: frozen(taken('The message', adapter.encode(item))),
    })
    return {
      pin: () => {
        where = this.#where.pinned()
      },
      load: async () => {
        const conversation = this.#where.known()
        // What a transport of the AI SDK stores are messages of its format.
        if (conversation?.chat && format.startsWith('ai-sdk/')) {
          const said = await saidIn(conversation.chat)
          const entries = said.map((message) => toEntry({ parentId: null, message: message as Message }))
          await this.#inTurn(() => conversation.takeIn(entries))
        }
        const { headId, messages } = await this.#read(this.#where, format)
        const items = messages.map(({ entry: { id, content }, parentId }) =>
          adapter.decode({ id, parent_id: parentId, format, content: content as Storage }),
        )
        return { headId, messages: items }
      },
      append: (item) => {
        const entry = toEntry(item)
        return this.#inTurn(async () => (await where.needed()).append(entry, item.parentId))
      },
      update: (item) => {
        const entry = toEntry(item)
        return this.#inTurn(async () => (await where.needed()).update(entry, item.parentId))
      },
      delete: (items) =>
        this.#delete(
          where,
          items.map(({ message }) => adapter.getId(message)),
        ),
    }
  }

  #read(where: Whereabouts, format: string): Promise<Tree> {
    return this.#inTurn(async () => (await where.known()?.read((entry) => entry.format === format)) ?? EMPTY)
  }

  #delete(where: Whereabouts, ids: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const id of ids) await where.known()?.delete(id)
    })
  }
}

/** Also one that has waited for a person: they may have said something, and the answer gone on. */
const isToBeAnswered = (message: ThreadMessage): boolean =>
  message.role === 'user' || (message.role === 'assistant' && message.status.type === 'requires-action')

async function toEntry({ message, runConfig }: ExportedMessageRepositoryItem): Promise<Entry> {
  const content = frozen(taken('The message', await packed(message)))
  const entry = { id: message.id, format: OWN_FORMAT, content }
  return runConfig === undefined ? entry : { ...entry, runConfig: frozen(taken('runConfig', runConfig)) }
}

type Item = ExportedMessageRepository['messages'][number]

function toItem({ content, runConfig }: Entry): Omit<Item, 'parentId'> {
  const message = unpacked(content)
  return runConfig === undefined
    ? { message }
    : { message, runConfig: runConfig as NonNullable<Item['runConfig']> }
}
