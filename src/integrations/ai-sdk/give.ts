import type { ChatTransport, UIMessage } from 'ai'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { RunOptions } from '../../checkpointer/runs/types.ts'
import { CheckpointerError } from '../../errors.ts'
import { linked } from '../shared/linked.ts'
import { Answer } from './answer.ts'
import type { Ask } from './request.ts'
import type { Chat, ChatThread } from './chat.ts'
import { follow } from './follow.ts'
import { whenGone } from './gone.ts'
import { RunJournal, type Journal } from './tools/journal.ts'
import type { Shown } from './shown.ts'

/** What an answer is given by, and to whom. */
export interface Giving<Message extends UIMessage> {
  readonly checkpointer: Checkpointer
  readonly transportOf: (journal: Journal) => ChatTransport<Message>
  readonly mayAskAgain: boolean
  readonly thread: ChatThread<Message>
  readonly ask: Ask<Message>
  readonly shown: Shown
  /** Aborted when nobody wants more of it. */
  readonly stop: AbortSignal
}

/** Begins a run, or goes on with one, and gives whether there is anything to do: a finished one has nothing. */
export function begin<Message extends UIMessage>(
  giving: Giving<Message>,
  options: RunOptions<Chat<Message>>,
): Promise<boolean> {
  const { checkpointer, thread, transportOf, shown, ask, stop } = giving
  return new Promise((resolve, reject) => {
    let runId = ''
    const running = thread.run(options, async (loop) => {
      runId = loop.runId
      resolve(true)
      // A component that was mounted and is gone has stopped nothing: only what was sent here is stopped before it goes on.
      if (stop.aborted && ask.trigger === undefined) throw left(loop.runId)
      const journal = new RunJournal({ loop, checkpointer })
      await new Answer({ ...giving, loop, journal, transport: transportOf(journal) }).give()
    })
    running.then(
      ({ began }) => {
        resolve(false)
        if (began !== 'already-finished') shown.end()
      },
      (error: unknown) => {
        // Before it has begun nothing is shown yet: it is told to who calls.
        reject(error)
        if (runId === '') return
        // Another tab goes on with it, as when this one was frozen.
        if (CheckpointerError.is(error, 'LEASE_LOST')) followOn(giving, runId)
        else shown.fail(error)
      },
    )
  })
}

/** The run stays as one whose runner is gone. */
const left = (runId: string): CheckpointerError =>
  new CheckpointerError('LEASE_LOST', `The answer '${runId}' is left for who asks for it next.`)

/** Shows what another tab gives; when that is gone, goes on with it here. */
export function followOn<Message extends UIMessage>(giving: Giving<Message>, runId: string): void {
  const { checkpointer, thread, shown, stop } = giving
  // Who asked may have gone while it was looked who has the chat: nothing would end what is begun here.
  if (stop.aborted) return shown.end()
  const ended = linked(stop)
  const end = (): void => ended.abort()
  checkpointer.onOrphan(
    async (run) => {
      if (run.thread !== thread.id || run.runId !== runId || ended.signal.aborted) return
      try {
        if (await begin(giving, { runId, wait: false })) end()
      } catch (error) {
        // Another tab was first: that one is followed.
        if (!CheckpointerError.is(error, 'BLOCKED')) throw error
      }
    },
    { signal: ended.signal },
  )
  const gone = (error: CheckpointerError): void => {
    shown.fail(error)
    end()
  }
  whenGone(checkpointer, thread, gone, ended.signal)
  follow(thread, runId, shown, ended.signal).then(end, (error: unknown) => {
    if (!ended.signal.aborted) shown.fail(error)
    else if (stop.aborted) shown.end()
    end()
  })
}
