import type { AssistantClient } from '@assistant-ui/react'
import type { ConversationThread } from './conversation-thread.ts'

/** Where a history is, when it is asked. */
export interface Whereabouts {
  /** `undefined` for a thread that nothing was written to yet. */
  known(): ConversationThread | undefined
  /** Makes it, if need be. */
  needed(): Promise<ConversationThread>
  /** That of the thread that is shown now, whatever is shown later. */
  pinned(): Whereabouts
}

/** A thread that is there, or comes with its first message. */
export function fixed(conversation: ConversationThread): Whereabouts {
  const where: Whereabouts = {
    known: () => conversation,
    needed: async () => conversation,
    pinned: () => where,
  }
  return where
}

type Item = Pick<AssistantClient['threadListItem'], 'getState' | 'initialize'>

/** The thread of the list that a component stands in. */
export function inList(
  client: () => AssistantClient,
  conversationOf: (remoteId: string) => ConversationThread,
  itemOf: () => Item = () => client().threadListItem,
): Whereabouts {
  return {
    known: () => {
      const { remoteId } = itemOf().getState()
      return remoteId === undefined ? undefined : conversationOf(remoteId)
    },
    needed: async () => conversationOf((await itemOf().initialize()).remoteId),
    pinned: () => {
      const live = itemOf()
      const { id } = live.getState()
      const { threads } = client()
      // One that was just opened may not be in the list yet.
      const isListed = threads.getState().threadItems.some((item) => item.id === id)
      const item = isListed ? threads.item({ id }) : live
      return inList(client, conversationOf, () => item)
    },
  }
}
