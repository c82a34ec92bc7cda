/** Asked again and again by long work: gives a promise to wait for when others have waited long enough, or nothing. */
export type Pause = () => Promise<void> | undefined

/** How long a page may be kept waiting, with room to spare below the 8 ms that are promised. */
const STRETCH = 4

/** A pause that is due every few milliseconds. Throws the reason of the signal as soon as it is aborted. */
export function pauses(signal?: AbortSignal): Pause {
  let begun = performance.now()
  const rest = async (): Promise<void> => {
    await nextTask()
    signal?.throwIfAborted()
    begun = performance.now()
  }
  return () => (performance.now() - begun < STRETCH ? undefined : rest())
}

/** Other tasks run first. Timers would be held back in a hidden tab; messages are not. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
