import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { tidy } from './chat.ts'

/** The message that these chunks make of what there was of it; `undefined` when they make none. */
export async function assembled<Message extends UIMessage>(
  before: Message | undefined,
  chunks: readonly UIMessageChunk[],
): Promise<Message | undefined> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of merged(chunks)) controller.enqueue(chunk)
      controller.close()
    },
  })
  let message = before
  const given = before === undefined ? {} : { message: structuredClone(before) }
  for await (const next of readUIMessageStream<Message>({ ...given, stream, terminateOnError: true }))
    message = next
  return message && tidy(message)
}

/** The pieces of one text in a row as one: what is made of them is the same, and the message is copied with each. */
function merged(chunks: readonly UIMessageChunk[]): readonly UIMessageChunk[] {
  const all: UIMessageChunk[] = []
  for (const chunk of chunks) {
    const last = all.at(-1)
    const both = last && joined(last, chunk)
    if (both) all[all.length - 1] = both
    else if (chunk.type !== 'error') all.push(chunk)
  }
  return all
}

function joined(one: UIMessageChunk, other: UIMessageChunk): UIMessageChunk | undefined {
  if (one.type === 'tool-input-delta' && other.type === 'tool-input-delta')
    return one.toolCallId === other.toolCallId
      ? { ...other, inputTextDelta: one.inputTextDelta + other.inputTextDelta }
      : undefined
  if (
    (one.type === 'text-delta' && other.type === 'text-delta') ||
    (one.type === 'reasoning-delta' && other.type === 'reasoning-delta')
  )
    return one.id === other.id ? { ...one, ...other, delta: one.delta + other.delta } : undefined
  return undefined
}
