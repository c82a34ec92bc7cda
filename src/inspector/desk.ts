import type { Checkpointer, Thread } from '../index.ts'
import type { Titles } from './text/titles.ts'

/** What every part of the inspector has at hand. */
export interface Desk {
  readonly checkpointer: Checkpointer
  readonly titles: Titles
  /** Aborted when the inspector is taken away. */
  readonly signal: AbortSignal
  /** Where dialogs are shown. */
  readonly root: HTMLElement
  readonly say: (text: string) => void
  readonly fail: (error: unknown) => void
}

/** The handle of a place. */
export const threadAt = (desk: Desk, { thread, namespace }: Place): Thread =>
  desk.checkpointer.thread(thread, { namespace })

export interface Place {
  readonly thread: string
  readonly namespace: string
}

/** Does what may fail, and shows it if it does. */
export function attempt(desk: Desk, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    if (!desk.signal.aborted) desk.fail(error)
  })
}
