import { getToolName, isToolUIPart, type UIMessage, type UIMessageChunk } from 'ai'

type Part = UIMessage['parts'][number]
type ToolPart = Extract<Part, { toolCallId: string }>

/** Chunks that make this message again, from the step after so many. */
export function* takenApart({ parts }: UIMessage, after: number): Generator<UIMessageChunk> {
  let steps = 0
  let isOpen = false
  for (const [index, part] of parts.entries()) {
    if (part.type === 'step-start') {
      if (isOpen) yield { type: 'finish-step' }
      steps++
      isOpen = steps > after
      if (isOpen) yield { type: 'start-step' }
    } else if (isOpen || after === 0) yield* chunksOf(part, `part-${index}`)
  }
  if (isOpen) yield { type: 'finish-step' }
}

function* chunksOf(part: Part, id: string): Generator<UIMessageChunk> {
  if (isToolUIPart(part)) yield* ofTool(part)
  else if (part.type === 'text') {
    const { text: delta, citations, state, providerMetadata } = part
    const about = providerMetadata ? { providerMetadata } : {}
    yield { type: 'text-start', id, ...about }
    yield { type: 'text-delta', id, delta }
    if (state !== 'streaming') yield { type: 'text-end', id, ...(citations ? { citations } : {}) }
  } else if (part.type === 'reasoning') {
    const { id: own = id, text: delta, state, providerMetadata } = part
    const about = providerMetadata ? { providerMetadata } : {}
    yield { type: 'reasoning-start', id: own, ...about }
    yield { type: 'reasoning-delta', id: own, delta }
    if (state !== 'streaming') yield { type: 'reasoning-end', id: own }
  } else if (part.type !== 'step-start') yield part
}

/** A call that has its result is not told as one that waits for it: `onToolCall` would answer it again. */
function* ofTool(part: ToolPart): Generator<UIMessageChunk> {
  const { toolCallId, state, approval } = part
  const call = callOf(part)
  if (state === 'input-streaming') {
    const { inputEncoding, rawInput } = part
    yield { type: 'tool-input-start', ...call, ...(inputEncoding ? { inputEncoding } : {}) }
    yield { type: 'tool-input-delta', toolCallId, inputTextDelta: rawInput ?? '' }
    return
  }
  if (state === 'output-available' || state === 'output-error') {
    yield { type: 'tool-input-start', ...call }
    const text = JSON.stringify(part.input)
    if (text !== undefined) yield { type: 'tool-input-delta', toolCallId, inputTextDelta: text }
  } else yield { type: 'tool-input-available', ...call, input: part.input }
  if (approval) yield* ofApproval(toolCallId, approval)
  const { resultProviderMetadata: providerMetadata } = part as { resultProviderMetadata?: object }
  const about = providerMetadata ? { providerMetadata: providerMetadata as never } : {}
  if (state === 'output-error')
    yield { type: 'tool-output-error', toolCallId, errorText: part.errorText, ...about }
  if (state === 'output-denied') yield { type: 'tool-output-denied', toolCallId }
  if (state !== 'output-available') return
  const { output, preliminary } = part
  yield {
    type: 'tool-output-available',
    toolCallId,
    output,
    ...about,
    ...(preliminary === undefined ? {} : { preliminary }),
  }
}

function callOf(part: ToolPart) {
  const { type, toolCallId, title, toolMetadata, providerExecuted, callProviderMetadata } = part
  return {
    toolCallId,
    toolName: getToolName(part),
    ...(type === 'dynamic-tool' ? { dynamic: true } : {}),
    ...(title === undefined ? {} : { title }),
    ...(toolMetadata === undefined ? {} : { toolMetadata }),
    ...(providerExecuted === undefined ? {} : { providerExecuted }),
    ...(callProviderMetadata === undefined ? {} : { providerMetadata: callProviderMetadata }),
  }
}

function* ofApproval(
  toolCallId: string,
  approval: NonNullable<ToolPart['approval']>,
): Generator<UIMessageChunk> {
  const { id: approvalId, approved, reason, requestReason, descriptor, isAutomatic, signature } = approval
  yield {
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    ...(descriptor === undefined ? {} : { approvalDescriptor: descriptor }),
    ...('inputSchemaInput' in approval ? { inputSchemaInput: approval.inputSchemaInput } : {}),
    ...(requestReason === undefined ? {} : { reason: requestReason }),
    ...(isAutomatic === undefined ? {} : { isAutomatic }),
    ...(signature === undefined ? {} : { signature }),
  }
  if (approved !== undefined)
    yield {
      type: 'tool-approval-response',
      approvalId,
      approved,
      ...(reason === undefined ? {} : { reason }),
    }
}
