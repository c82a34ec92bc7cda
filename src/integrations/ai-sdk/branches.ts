import type { UIMessage } from 'ai'
import type { Checkpoint, CheckpointInfo } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import { factsIn, messagesIn, type Chat, type ChatThread } from './chat.ts'

/** One of the answers to a message. */
export interface ChatBranch {
  readonly messageId: string
  readonly createdAt: Date
  /** It is on the branch that the chat is on. */
  readonly isCurrent: boolean
}

/** All answers to what this one answers, in the order in which they were begun. */
export async function branchesOf<Message extends UIMessage>(
  thread: ChatThread<Message>,
  messageId: string,
): Promise<ChatBranch[]> {
  const head = await thread.load()
  if (!head) return []
  const infos = await oldestFirst(thread)
  const facts = infos.map((info) => factsIn(info)).find((each) => each?.message === messageId)
  if (!facts) return []
  const current = new Set(messagesIn(head).map(({ id }) => id))
  const answers = new Map<string, Date>()
  for (const info of infos) {
    const { message, after } = factsIn(info) ?? {}
    if (message !== undefined && after === facts.after && !answers.has(message))
      answers.set(message, info.createdAt)
  }
  return Array.from(answers, ([id, createdAt]) => ({ messageId: id, createdAt, isCurrent: current.has(id) }))
}

/** The chat goes on where the branch of this answer has ended, from now on. Gives its messages. */
export async function chooseBranch<Message extends UIMessage>(
  thread: ChatThread<Message>,
  messageId: string,
): Promise<Message[]> {
  const run = await thread.latestRun()
  if (run?.status === 'running')
    throw new CheckpointerError(
      'BLOCKED',
      `Chat '${thread.id}' is being answered. Wait for it, or stop it.`,
      {
        thread: thread.id,
      },
    )
  const inside = new Map<string, CheckpointInfo>()
  for (const info of await oldestFirst(thread))
    if (factsIn(info)?.message === messageId || inside.has(info.parentId ?? '')) inside.set(info.id, info)
  const leaf = [...inside.values()].at(-1)
  const chosen = leaf && (await thread.load(leaf.seq))
  if (!chosen)
    throw new CheckpointerError('NOT_FOUND', `Chat '${thread.id}' has no answer '${messageId}'.`, {
      thread: thread.id,
    })
  const head = await thread.load()
  if (head?.id !== chosen.id) {
    const { state, seq: parent, extra } = chosen
    await thread.save(state, { parent, source: 'update', node: 'choose', ...(extra ? { extra } : {}) })
  }
  return messagesIn(chosen)
}

/** The checkpoint that these messages go on from: the last one, from the head up, that holds nothing else. */
export async function groundOf<Message extends UIMessage>(
  thread: ChatThread<Message>,
  head: Checkpoint<Chat<Message>>,
  messages: readonly Message[],
): Promise<number> {
  let at = head
  for (;;) {
    if (messagesIn(at).every(({ id }, index) => messages[index]?.id === id)) return at.seq
    const parent = at.parentId === undefined ? undefined : await thread.load({ id: at.parentId })
    if (!parent) return at.seq
    at = parent
  }
}

async function oldestFirst<Message extends UIMessage>(
  thread: ChatThread<Message>,
): Promise<readonly CheckpointInfo[]> {
  const infos: CheckpointInfo[] = []
  for await (const info of thread.history()) infos.push(info)
  return infos.reverse()
}
