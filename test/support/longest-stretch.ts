/** The longest time for which nothing else ran in this page, while the work did. */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = performance.now()
  let running = true
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    const now = performance.now()
    longest = Math.max(longest, now - before)
    before = now
    if (running) port2.postMessage(0)
  }
  port2.postMessage(0)
  await work()
  running = false
  port1.close()
  return longest
}
