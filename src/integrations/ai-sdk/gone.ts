import type { UIMessage } from 'ai'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { CheckpointerError } from '../../errors.ts'
import type { ChatThread } from './chat.ts'

/** Tells when a chat that is answered is taken away: nothing more comes of it then, not even an end. */
export function whenGone<Message extends UIMessage>(
  checkpointer: Checkpointer,
  thread: ChatThread<Message>,
  tell: (error: CheckpointerError) => void,
  signal: AbortSignal,
): void {
  const gone = (): void => tell(deleted(thread.id))
  // News may be of an earlier thread of this name.
  const look = (): void =>
    void thread.latestRun().then(
      (run) => run ?? gone(),
      () => {},
    )
  const leave = checkpointer.subscribe((event) => {
    if (event.type === 'destroyed') gone()
    else if (event.type === 'deleted' && event.thread === thread.id) look()
  })
  signal.addEventListener('abort', leave, { once: true })
  // It may be why this tab has lost its lease.
  look()
}

const deleted = (thread: string): CheckpointerError =>
  new CheckpointerError('NOT_FOUND', `Chat '${thread}' was deleted while it was answered.`, { thread })
