import type { ForkpointTransport } from 'forkpoint/ai-sdk'

/** For the arrows beside an answer: which of how many it is, and the messages with the one before it. */
export async function previous(transport: ForkpointTransport, chatId: string, messageId: string) {
  const branches = await transport.branches(chatId, messageId)
  const at = branches.findIndex((branch) => branch.messageId === messageId)
  const other = branches[at - 1]
  const messages = other && (await transport.choose(chatId, other.messageId))
  return { at: at + 1, of: branches.length, messages } // give them to setMessages
}
