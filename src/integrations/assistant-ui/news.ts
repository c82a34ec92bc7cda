import type { CheckpointerEvent } from '../../checkpoint.ts'
import { ABOUT } from './about.ts'
import type { ConversationThread } from './conversation-thread.ts'

/** `list`: threads have come, gone or changed, in this tab or another; `messages`: another tab has changed a thread. */
export type ForkpointNews =
  | { readonly type: 'list' }
  | { readonly type: 'messages'; readonly threadId: string }

/** What the events of a checkpointer say to a chat. */
export function hearing(
  conversationOf: (thread: string) => ConversationThread | undefined,
  listener: (news: ForkpointNews) => void,
): (event: CheckpointerEvent) => void {
  return (event) => {
    if (event.type === 'deleted' || event.type === 'destroyed' || event.type === 'forked')
      listener({ type: 'list' })
    if (event.type !== 'saved') return
    if (event.namespace === ABOUT) listener({ type: 'list' })
    if (event.namespace !== '' || conversationOf(event.thread)?.isOwn(event.id)) return
    listener({ type: 'messages', threadId: event.thread })
  }
}
