import type { UIMessage } from 'ai'
import type { Checkpoint, CheckpointInfo } from '../../checkpoint.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { isToldMore } from './outcomes.ts'

/** What a thread holds of a chat: the messages on the way to this checkpoint, from the first. */
export interface Chat<Message extends UIMessage> {
  messages: Message[]
  /** How many steps the last answer had when it was asked for: it may be one to go on with. */
  asked?: number
}

export type ChatThread<Message extends UIMessage> = Thread<Chat<Message>>

/** What stands beside a checkpoint, in `extra.chat`, where it can be read without the state. */
export interface Facts {
  /** The answer that it is a step of. */
  readonly message: string
  /** The message that is answered; none when the answer is the first message. */
  readonly after: string | null
}

export const factsIn = ({ extra }: CheckpointInfo): Facts | undefined => extra?.['chat'] as Facts | undefined

export function messagesIn<Message extends UIMessage>({
  state,
  thread,
  seq,
}: Checkpoint<Chat<Message>>): Message[] {
  const { messages }: Partial<Chat<Message>> = state
  if (Array.isArray(messages)) return messages
  throw new CheckpointerError(
    'UNSUPPORTED',
    `Checkpoint ${seq} of thread '${thread}' is not one of a chat. Give chats threads of their own.`,
    { thread, seq },
  )
}

/** The message that is being answered, or has been, if it is an answer. */
export const answerIn = <Message extends UIMessage>(messages: readonly Message[]): Message | undefined => {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last : undefined
}

/** How many steps of its agent a message has. */
export const stepsIn = ({ parts }: UIMessage): number =>
  parts.filter(({ type }) => type === 'step-start').length

/** Without the properties that are there and hold nothing, which would be stored as such. */
export function tidy<Message extends UIMessage>(message: Message): Message {
  return { ...defined(message), parts: message.parts.map(defined) }
}

const defined = <T extends object>(value: T): T =>
  // What is left out was optional, or could not hold nothing.
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T

/** Whether these are the stored messages, perhaps with an answer to the last of them of which no step is stored. */
export function isSame<Message extends UIMessage>(
  stored: readonly Message[],
  given: readonly Message[],
): boolean {
  const more = given.slice(stored.length)
  const isAnswered = more.length === 0 || (more.length === 1 && answerIn(given) !== undefined)
  const [last, same] = [stored.at(-1), given[stored.length - 1]]
  return (
    isAnswered &&
    stored.every(({ id }, index) => given[index]?.id === id) &&
    (last?.role !== 'user' || JSON.stringify(last) === JSON.stringify(same)) &&
    !(last && isToldMore(last, same))
  )
}
