/** A content script that posts to the service worker what the page it is in tells it to. */
import { chrome } from './chrome.ts'

document.addEventListener('post', ({ detail }: CustomEventInit<string>) => {
  const { name, attempts } = JSON.parse(detail ?? '{}') as { name: string; attempts: unknown[][] }
  void Promise.all(attempts.map((parts) => post(name, parts))).then((heard) =>
    document.dispatchEvent(new CustomEvent('heard', { detail: JSON.stringify(heard) })),
  )
})

/** What is heard on a port of its own, until it is answered or cut off. */
function post(name: string, parts: readonly unknown[]): Promise<unknown[]> {
  return new Promise((resolve) => {
    const port = chrome.runtime.connect({ name })
    const heard: unknown[] = []
    port.onMessage.addListener((message) => {
      heard.push(message)
      if ('hello' in message) for (const part of parts) port.postMessage(part)
      if (!('text' in message)) return
      resolve(heard)
      port.disconnect()
    })
    port.onDisconnect.addListener(() => resolve([...heard, 'disconnected']))
    // Before it is let in, too.
    for (const part of parts) port.postMessage(part)
  })
}
