import type { Chat } from '../agent/chat.ts'
import type { Piece } from '../agent/draft.ts'
import type { Tool } from '../tools/tool.ts'

export interface ModelRequest {
  /** The conversation so far; its last message is the user's, or a tool's. */
  readonly chat: Chat
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  /** What it had said of this answer before it was cut off; only for one that can continue. */
  readonly had: readonly Piece[]
}

export interface Model {
  readonly name: string
  /** Goes on in the middle of an answer, rather than beginning it anew. */
  readonly canContinue: boolean
  answer(request: ModelRequest): AsyncIterable<Piece>
}

/** Why a model gave no answer, in words for the user. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}
