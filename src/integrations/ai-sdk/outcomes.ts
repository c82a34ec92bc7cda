import { isToolUIPart, type UIMessage } from 'ai'
import { hasEnded, type ToolPart } from './tools/calls.ts'

/** How far a call has come that waits for others: it has an outcome, a person's word, or neither. */
const standing = (call: ToolPart): number => {
  if (hasEnded(call)) return 2
  return call.state === 'approval-responded' ? 1 : 0
}

const callsIn = (message: UIMessage | undefined): ReadonlyMap<string, ToolPart> =>
  new Map(message?.parts.filter(isToolUIPart).map((call) => [call.toolCallId, call]))

/** Whether the page has an outcome, or a person's word, of a call that waits for one in what is stored. */
export function isToldMore(stored: UIMessage, given: UIMessage | undefined): boolean {
  const calls = callsIn(given)
  return stored.parts.filter(isToolUIPart).some((call) => {
    const told = calls.get(call.toolCallId)
    return told !== undefined && standing(call) === 0 && standing(told) > 0
  })
}
