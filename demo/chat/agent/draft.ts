import type { Call, Ending } from './chat.ts'

/** What a model's answer comes in. */
export type Piece =
  | { readonly text: string }
  | { readonly call: Call }
  | { readonly stopped: true }
  | { readonly endedBy: Ending }

/** An answer as far as it has come. */
export interface Draft {
  readonly text: string
  readonly calls: readonly Call[]
  readonly isStopped: boolean
  readonly endedBy?: Ending
}

export const emptyDraft: Draft = { text: '', calls: [], isStopped: false }

export function withPiece(draft: Draft, piece: Piece): Draft {
  if ('text' in piece) return { ...draft, text: draft.text + piece.text }
  if ('call' in piece) return { ...draft, calls: [...draft.calls, piece.call] }
  if ('endedBy' in piece) return { ...draft, endedBy: piece.endedBy }
  return { ...draft, isStopped: true }
}
