/** A model that is a script: no network, the same answer each time, and it really calls the tools. */
import type { Piece } from '../../agent/draft.ts'
import type { Message, ToolMessage } from '../../agent/chat.ts'
import type { Model } from '../model.ts'
import { planFor } from './plans.ts'
import { speak } from './speak.ts'

export const scripted: Model = {
  name: 'Built-in script',
  canContinue: true,
  async *answer({ chat: { messages }, had, signal }) {
    const { asked, results } = turnOf(messages)
    const { text, call } = planFor(asked)(results)
    const said = had.map((piece) => ('text' in piece ? piece.text : '')).join('')
    yield* speak(text, said, signal)
    if (call && !had.some((piece) => 'call' in piece))
      yield { call: { id: `call-${messages.length}`, ...call } } satisfies Piece
  },
}

/** What the user said last, and what the tools have come to since. */
function turnOf(messages: readonly Message[]): { asked: string; results: readonly ToolMessage[] } {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const results = messages.slice(at + 1).filter((message): message is ToolMessage => message.role === 'tool')
  return { asked: messages[at]?.text ?? '', results }
}
