import { isToolUIPart, type UIMessage } from 'ai'
import { hasEnded, type ToolPart } from './tools/calls.ts'

/** How far a call has come: it has an outcome, which is its last, or a person's word, or neither. */
const standing = (call: ToolPart): number => {
  if (hasEnded(call)) return 'preliminary' in call && call.preliminary ? 0 : 2
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

type Part = UIMessage['parts'][number]

/** The given messages, with what is stored of their calls where the page does not know of it, as after a stop. */
export function withOutcomes<Message extends UIMessage>(
  stored: readonly Message[],
  given: readonly Message[],
): Message[] {
  const kept = new Map(stored.map((message) => [message.id, message]))
  return given.map((message) => {
    const before = kept.get(message.id)
    return before ? withOutcomesOf(before, message) : message
  })
}

function withOutcomesOf<Message extends UIMessage>(stored: Message, given: Message): Message {
  const [more, less] = isBehind(given, stored) ? [stored, given] : [given, stored]
  const calls = callsIn(less)
  const parts = more.parts.map((part): Part => {
    const other = isToolUIPart(part) ? calls.get(part.toolCallId) : undefined
    return other && isToolUIPart(part) && standing(other) > standing(part) ? other : part
  })
  return { ...given, parts }
}

/** Whether the page has heard only a beginning of what is stored, and there is an outcome behind that. */
const isBehind = (given: UIMessage, stored: UIMessage): boolean =>
  given.parts.every((part, index) => nameOf(part) === nameOf(stored.parts[index])) &&
  stored.parts.slice(given.parts.length).some((part) => isToolUIPart(part) && hasEnded(part))

const nameOf = (part: Part | undefined): string | undefined =>
  part && ('toolCallId' in part ? part.toolCallId : part.type)
