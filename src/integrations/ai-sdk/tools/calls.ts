import { isToolUIPart, type UIMessage, type UIMessageChunk } from 'ai'

type Part = UIMessage['parts'][number]
export type ToolPart = Extract<Part, { toolCallId: string }>

export const hasEnded = ({ state }: ToolPart): boolean => state.startsWith('output-')

/** The calls of the last step; none of those that the model's provider sees to. */
const callsIn = ({ parts }: UIMessage): readonly ToolPart[] =>
  parts
    .slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
    .filter(isToolUIPart)
    .filter(({ providerExecuted }) => providerExecuted !== true)

/** Whether a step has come to a call that can be done. */
export const hasCalls = (step: readonly UIMessageChunk[]): boolean =>
  step.some((chunk) => chunk.type === 'tool-input-available' && chunk.providerExecuted !== true)

/** The calls of the last step that have all their input, and no result. */
export const openCalls = (message: UIMessage): readonly ToolPart[] =>
  callsIn(message).filter(({ state }) => state === 'input-available')

/** All that has no result, in whichever step, and whatever it waits for. */
export const callsWithoutEnd = ({ parts }: UIMessage): readonly ToolPart[] =>
  parts.filter(isToolUIPart).filter((call) => !hasEnded(call))

/** Whether an agent goes on from here: when its last step has called tools, and all of them have their results. */
export function isToGoOn(message: UIMessage): boolean {
  const calls = callsIn(message)
  return calls.length > 0 && calls.every(hasEnded)
}
