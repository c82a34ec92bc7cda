import type { UIMessage, UIMessageChunk } from 'ai'
import { answerIn, messagesIn, type ChatThread } from './chat.ts'
import type { Shown } from './shown.ts'

interface Stream {
  readonly key: string
  readonly attempt: number
}

/** Shows a run that another tab has, or had, until it ends. */
export async function follow<Message extends UIMessage>(
  thread: ChatThread<Message>,
  runId: string,
  shown: Shown,
  signal: AbortSignal,
): Promise<void> {
  let last: Stream | undefined
  for await (const event of thread.watch({ signal })) {
    if (event.type === 'run') {
      const { runId: id, status, error } = event.run
      if (id === runId && status === 'failed') return shown.fail(new Error(error ?? 'The answer has failed.'))
      if (id !== runId || status !== 'running') return shown.end()
    } else if (event.type === 'state') {
      const answer = answerIn(messagesIn(event.checkpoint))
      if (answer && event.checkpoint.runId === runId) shown.show(answer)
    } else if (event.type === 'chunks') {
      const { key, attempt, chunks } = event
      if (last?.key === key && last.attempt < attempt) shown.takeBack()
      last = { key, attempt }
      // The streams of such a run are made of nothing else.
      for (const chunk of chunks as readonly UIMessageChunk[]) shown.pass(chunk)
    }
  }
  shown.end()
}
