/** A browser with an extension in it, of which only pages are looked at, so that its background is left alone. */
export interface QuietBrowser {
  readonly version: string
  /** A page of the extension, once this expression is true in it. */
  open(file: string, isReady: string): Promise<QuietPage>
  close(): Promise<void>
}

export interface QuietPage {
  /** What an expression comes to in the page, as JSON. */
  evaluate(expression: string): Promise<unknown>
  /** Stops all service workers of the browser, where that can be asked for. */
  stopWorkers?(): Promise<void>
  close(): Promise<void>
}

type Send = (method: string, params?: object) => Promise<unknown>

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: unknown
}

/** Commands and their answers, as both of the browsers' protocols have them. */
export async function session(url: string): Promise<Send> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  let ids = 0
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++ids
      waiting.set(id, (reply) =>
        reply.error === undefined ? resolve(reply.result) : reject(new Error(JSON.stringify(reply))),
      )
      socket.send(JSON.stringify({ id, method, params }))
    })
}
