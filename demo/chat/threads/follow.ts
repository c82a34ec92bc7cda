/** One thread as it goes on, in whichever tab: all that is shown comes from here, also of this tab's own runs. */
import type { Checkpointer, RunInfo, WatchEvent } from 'forkpoint'
import type { Chat } from '../agent/chat.ts'
import { emptyDraft, withPiece, type Draft, type Piece } from '../agent/draft.ts'

export interface Seen {
  /** Absent until the thread was looked for. */
  readonly chat?: Chat
  readonly head?: number
  /** The run that the head belongs to. */
  readonly headRun?: string
  readonly run?: RunInfo
  /** An answer that is coming. */
  readonly draft?: Draft
}

const NONE: Chat = { messages: [], notes: [] }

/** Tells what is seen, each time that it has changed, until the signal is aborted. */
export async function follow(
  checkpointer: Checkpointer,
  id: string,
  show: (seen: Seen) => void,
  signal: AbortSignal,
): Promise<void> {
  const thread = checkpointer.thread<Chat>(id)
  let seen: Seen = {}
  const head = await thread.load()
  if (signal.aborted) return
  if (!head) show((seen = { chat: NONE }))
  for await (const event of thread.watch({ signal })) show((seen = withEvent(seen, event)))
}

function withEvent(seen: Seen, event: WatchEvent<Chat>): Seen {
  switch (event.type) {
    case 'state': {
      const { draft: _saved, headRun: _before, ...rest } = seen
      const { state, seq, runId } = event.checkpoint
      return { ...rest, chat: state, head: seq, ...(runId === undefined ? {} : { headRun: runId }) }
    }
    case 'run': {
      const { draft, ...rest } = seen
      const isSame = draft && seen.run?.runId === event.run.runId
      return { ...rest, run: event.run, ...(isSame ? { draft } : {}) }
    }
    case 'chunks': {
      const before = event.from === 0 ? emptyDraft : (seen.draft ?? emptyDraft)
      return { ...seen, draft: (event.chunks as readonly Piece[]).reduce(withPiece, before) }
    }
    case 'step':
      return seen
  }
}
