/** What is stored of a conversation: all of it, in one state. */
export interface Chat {
  messages: Message[]
  notes: string[]
}

export type Message = UserMessage | AgentMessage | ToolMessage

export interface UserMessage {
  readonly role: 'user'
  /** The id of the run that it has begun. */
  readonly id: string
  readonly text: string
}

export interface AgentMessage {
  readonly role: 'agent'
  readonly id: string
  readonly text: string
  readonly model: string
  readonly calls?: readonly Call[]
  /** Somebody stopped it before its end. */
  readonly isStopped?: true
  /** The model ended it before its end: why, in a word of its own. */
  readonly endedBy?: Ending
  /** It was cut off, by a reload or a crash, and gone on with: 1, however often. */
  readonly cuts?: number
  /** How often it was cut off, and asked for anew. */
  readonly restarts?: number
}

/** Why a model says no more, though it has not come to an end. */
export type Ending = 'length' | 'filter'

export interface ToolMessage {
  readonly role: 'tool'
  readonly id: string
  /** Of the call that it answers. */
  readonly call: string
  readonly tool: string
  readonly text: string
  readonly isError?: true
}

/** What the model wants done. */
export interface Call {
  readonly id: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Whether a state is one of ours: a file that was brought along may hold anything. */
export const isChat = (state: unknown): state is Chat =>
  typeof state === 'object' && state !== null && 'messages' in state && Array.isArray(state.messages)

export const emptyChat = (): Chat => ({ messages: [], notes: [] })

/** Calls of the latest answer that have no outcome yet. They are done in their order: what ids they have is no matter. */
export function openCalls({ messages }: Chat): readonly Call[] {
  const at = messages.findLastIndex(({ role }) => role === 'agent')
  const answer = messages[at]
  if (answer?.role !== 'agent' || !answer.calls) return []
  const done = messages.slice(at + 1).filter(({ role }) => role === 'tool').length
  return answer.calls.slice(done)
}

/** Whether it is the model's turn: somebody has spoken, or all that it called for is done. */
export const isOwed = (chat: Chat): boolean =>
  openCalls(chat).length === 0 && chat.messages.at(-1)?.role !== 'agent'

/** The next message of a run, the same on every attempt. */
export const nextId = (runId: string, { messages }: Chat): string => `${runId}/${messages.length}`

/** How often the model has been asked since the user spoke. */
export function roundsOf({ messages }: Chat): number {
  const since = messages.findLastIndex(({ role }) => role === 'user')
  return messages.slice(since + 1).filter(({ role }) => role === 'agent').length
}
