import type { Loop, WhenUnknown } from '../../checkpointer/runs/types.ts'
import { stepNameOf } from './step-name.ts'

/** What is told, to the model too, of a call of which nobody knows whether it was done. */
export const UNKNOWN =
  'It is not known whether this was done: the page went away meanwhile. Find out before it is done again.'

interface ToolCall {
  readonly tool: string
  readonly toolCallId: string
  /** It changes nothing: when nobody knows how it has ended, it is used again. */
  readonly isRepeatable: boolean
  readonly use: () => Promise<unknown>
  /** What it has come to otherwise. */
  readonly whenUnknown: WhenUnknown
}

/** Uses a tool once for each of its calls, by the id of that. */
export const usedOnce = (
  loop: Loop,
  { tool, toolCallId, isRepeatable, use, whenUnknown }: ToolCall,
): Promise<unknown> =>
  loop.step(
    stepNameOf(tool, toolCallId),
    use,
    isRepeatable ? { effect: 'none', whenUnknown: 'retry' } : { effect: 'external', whenUnknown },
  )
