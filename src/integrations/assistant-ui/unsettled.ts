import type { Thread } from '../../checkpointer/thread.ts'

/** The namespace in which a transport of `forkpoint/ai-sdk` keeps what a chat of the list is answered. */
export const CHAT = 'ai-sdk'

/** A message of the AI SDK, as far as it must be known here. */
interface Said {
  readonly id: string
  readonly role: string
}

/**
 * What a transport has stored of a chat. assistant-ui stores what was asked with its answer, once that has ended, and not
 * before. An answer that goes on is left out: whoever resumes it is given all of it.
 */
export async function saidIn(chat: Thread): Promise<readonly Said[]> {
  const state = (await chat.load())?.state
  if (!isChat(state)) return []
  const run = await chat.latestRun()
  const hasEnded = run?.status === 'finished' || run?.status === 'stopped'
  const { messages } = state
  return hasEnded ? messages : messages.slice(0, messages.findLastIndex(({ role }) => role === 'user') + 1)
}

function isChat(state: unknown): state is { readonly messages: readonly Said[] } {
  const { messages } = (state ?? {}) as { readonly messages?: unknown }
  return Array.isArray(messages) && messages.every(({ id, role }: Partial<Said>) => id && role)
}
