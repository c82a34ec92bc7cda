/** Milliseconds of one call. */
export interface Timing {
  /** Until it resolved. */
  readonly wall: number
  /** Of its synchronous part. */
  readonly sync: number
  /** The longest time in which the page could do nothing else, from the call to the answer; of some calls only. */
  readonly blocked?: number
}

/** `watched`: measures also what the page could not do, by keeping it busy, which slows the call down. */
export async function timed(call: () => Promise<unknown>, watched = false): Promise<Timing> {
  const watch = watched ? await startWatch() : undefined
  watch?.reset()
  const start = performance.now()
  const promise = call()
  const called = performance.now()
  watch?.reset()
  await promise
  const end = performance.now()
  const gap = watch?.stop(end).gap
  const sync = called - start
  return { wall: end - start, sync, ...(gap === undefined ? {} : { blocked: Math.max(sync, gap) }) }
}

interface Watch {
  reset(): void
  /** The longest gap until then, and the last: the task in which the answer came. */
  stop(at: number): { readonly gap: number; readonly reply: number }
}

/** A message that goes round all the time, and so knows when the page was last free. */
export async function startWatch(): Promise<Watch> {
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
      return { gap, reply }
    },
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
