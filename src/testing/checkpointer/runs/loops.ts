import { expect } from 'vitest'
import type { Loop } from '../../../checkpointer/runs/types.ts'
import type { Thread } from '../../../checkpointer/thread.ts'

/** What the loops of the laws write down. */
export interface Log {
  done: string[]
}

/** Never resolves; rejects with the signal's reason. */
export const hangs = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

export type Work = (loop: Loop<Log>) => Promise<unknown>

/** Runs the loop up to where it would hang, and then stops it: as a crash, what is under way has no outcome. */
export async function cutOff(thread: Thread<Log>, loop: Work): Promise<void> {
  const stop = new AbortController()
  const running = thread.run({ initial: { done: [] }, signal: stop.signal }, async (own) => {
    await loop(own)
    stop.abort(new Error('cut off'))
    await hangs(own.signal)
  })
  await expect(running).rejects.toThrow('cut off')
}

/** A step that is begun, and never ends. */
export const begun = (loop: Loop<Log>, name: string, options = {}): Promise<void> =>
  new Promise((resolve) => {
    loop.step(name, ({ signal }) => (resolve(), hangs(signal)), options).catch(() => {})
  })

/** Until the thread's run waits for somebody. */
export async function untilAsked(thread: Thread<Log>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const writes = (await thread.load())?.pendingWrites ?? []
    const open = writes.some(({ value, taskId }) => {
      const isQuestion = (value as { kind?: string } | undefined)?.kind === 'question'
      return isQuestion && !writes.some((each) => each.taskId === taskId && each.index === 1)
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect.unreachable('nobody was asked')
}
