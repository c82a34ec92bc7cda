import type { CheckpointFields, CheckpointInfo } from '../../checkpoint.ts'

/** One message of a conversation. */
export interface Entry {
  readonly id: string
  /** How the content is written: by the name of a format adapter, or assistant-ui's own. */
  readonly format: string
  readonly content: unknown
  /** What assistant-ui keeps beside a message. */
  readonly runConfig?: unknown
  /** How often it was changed. Of the versions on several branches the greatest counts. */
  readonly revision?: number
  /** It was deleted: what follows it goes on from what was before it. */
  readonly gone?: true
}

/** The state of a checkpoint: the messages from the first to the one that it is of. */
export interface Conversation {
  readonly messages: readonly Entry[]
}

/** Not so for a thread that somebody has saved something else to. */
export function isConversation(state: unknown): state is Conversation {
  const { messages } = (state ?? {}) as Partial<Conversation>
  return Array.isArray(messages) && messages.every((entry: Partial<Entry>) => typeof entry.id === 'string')
}

export type Change = 'append' | 'update' | 'delete'

/** What marks the checkpoints and the threads of this door. */
export const WORKFLOW = 'assistant-ui'

/** The fields of a checkpoint, by which the tree is known without any state; with the message that was changed, if one was. */
export function fieldsOf(node: Change, { messages }: Conversation, changed?: Entry): CheckpointFields {
  const message = messages.at(-1)?.id ?? null
  const of = changed && { changed: changed.id, revision: changed.revision }
  return { node, workflow: WORKFLOW, extra: { message, ...of } }
}

/** The message that a checkpoint ends with; `undefined` for one that somebody else made, as by a fork with an edit. */
export function messageOf({ extra, workflow }: CheckpointInfo): string | undefined {
  const message = workflow === WORKFLOW ? extra?.['message'] : undefined
  return typeof message === 'string' ? message : undefined
}

/** How often a message had been changed with this checkpoint, if it was changed by it. */
export function revisionIn({ extra, workflow }: CheckpointInfo, message: string): number {
  const isOf = workflow === WORKFLOW && extra?.['changed'] === message
  return isOf ? Number(extra['revision']) : 0
}
