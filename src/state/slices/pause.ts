import { nextTask } from '../../platform/next-task.ts'

/**
 * Asked again and again by long work: gives a promise to wait for when others have waited long enough, or nothing. Before
 * a piece that is known to take so many milliseconds, when they would have by its end.
 */
export type Pause = (ahead?: number) => Promise<void> | undefined

/** How long a page may be kept waiting, with room to spare below the 8 ms that are promised. */
const STRETCH = 3
/** What begins so soon after another has rested may be in the same task: a host and its caller are, without a worker. */
const SAME_TASK = 2 * STRETCH

/** Bytes that an engine copies in a millisecond, into a put or out of an answer. */
const PUT_A_MS = 512 * 1024

/** How long it takes to put so many bytes, which is done at once. */
export const timeToPut = (bytes: number): number => bytes / PUT_A_MS

/** When something of this thread last let others run, or began after a while. */
let begun = 0

/** A pause that is due every few milliseconds. Throws the reason of the signal as soon as it is aborted. */
export function pauses(signal?: AbortSignal): Pause {
  if (performance.now() - begun > SAME_TASK) begun = performance.now()
  const rest = async (): Promise<void> => {
    await nextTask()
    signal?.throwIfAborted()
    begun = performance.now()
  }
  return (ahead = 0) => (performance.now() - begun + ahead < STRETCH ? undefined : rest())
}
