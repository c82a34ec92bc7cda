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
  const pings = pinged ? await startPings() : undefined
  pings?.reset()
  const start = performance.now()
  const promise = call()
  const called = performance.now()
  pings?.reset()
  await promise
  const end = performance.now()
  const times = pings?.stop(end)
  return { wall: end - start, sync: called - start, ...times }
}

interface Pings {
  reset(): void
  stop(at: number): { readonly reply: number; readonly gap: number }
}

/** A message that goes round all the time, and so knows when the page was last free. */
async function startPings(): Promise<Pings> {
  const { port1, port2 } = new MessageChannel()
  let last = performance.now()
  let gap = 0
  let running = true
  const look = (now: number): number => {
    const passed = now - last
    gap = Math.max(gap, passed)
    last = now
    return passed
  }
  const started = new Promise<void>((resolve) => {
    port1.onmessage = () => {
      look(performance.now())
      if (running) port2.postMessage(0)
      resolve()
    }
  })
  port2.postMessage(0)
  await started
  return {
    reset() {
      last = performance.now()
      gap = 0
    },
    stop(at) {
      running = false
      const reply = look(at)
      port1.close()
      return { reply, gap }
    },
  }
}

/** Lets what was left behind (a compaction, a garbage collection) come to its end. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
