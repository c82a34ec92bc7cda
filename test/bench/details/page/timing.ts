import { startWatch } from '../../page/timing.ts'

export { pause } from '../../page/timing.ts'

/** Milliseconds of one call. */
export interface Timing {
  /** Until it resolved. */
  readonly wall: number
  /** Of its synchronous part: the page does nothing else. */
  readonly sync: number
  /** Of the task in which the answer came: decoding the message, and all until the caller's code goes on. */
  readonly reply?: number
  /** The longest time in which the page could do nothing while it waited, the answer's task included. */
  readonly gap?: number
}

/** `pinged`: also measures the answer's task, at the cost of a busy page that takes a processor for itself. */
export async function timed(call: () => Promise<unknown>, pinged = false): Promise<Timing> {
  const watch = pinged ? await startWatch() : undefined
  watch?.reset()
  const start = performance.now()
  const promise = call()
  const called = performance.now()
  watch?.reset()
  await promise
  const end = performance.now()
  const times = watch?.stop(end)
  return { wall: end - start, sync: called - start, ...times }
}
