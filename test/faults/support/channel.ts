import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'

/** Of a page what every browser offers. */
export type OpenPage = Pick<Page, 'evaluate' | 'close'>

type Said = { readonly tab: string } & (
  | { readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly id?: undefined }
)

/** A page that asks is answered with nothing after this, and asks again. */
const LONGEST_POLL = 10_000

interface Tab {
  readonly tasks: object[]
  /** It is asking. */
  answer?: (task: object) => void
  readonly pending: Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>
}

/** The other end of `page/channel.ts`: pages that are told what to do over http. */
export class Channel {
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response).catch(() => response.destroy())
  })
  readonly #tabs = new Map<string, Tab>()
  readonly #heard = new Map<string, () => void>()
  #last = 0

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  /** The address that a new tab is to be opened at, and the page once it is there. */
  expect(url: string): { readonly address: string; readonly page: Promise<OpenPage> } {
    const tab = String(++this.#last)
    const { port } = this.#server.address() as AddressInfo
    const address = new URL(url)
    address.searchParams.set('channel', `http://127.0.0.1:${port}`)
    address.searchParams.set('tab', tab)
    const heard = new Promise<void>((resolve) => this.#heard.set(tab, resolve))
    this.#tabs.set(tab, { tasks: [], pending: new Map() })
    return { address: address.href, page: heard.then(() => this.#pageOf(tab)) }
  }

  /** Has the first of its tabs open another one. */
  openFromFirst(address: string): void {
    this.#send('1', { open: address })
  }

  async close(): Promise<void> {
    const ended = new Error('the browser has ended')
    for (const { pending } of this.#tabs.values()) for (const { reject } of pending.values()) reject(ended)
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #pageOf(tab: string): OpenPage {
    const evaluate = (work: (arg: unknown) => unknown, arg?: unknown): Promise<unknown> => {
      const id = ++this.#last
      this.#send(tab, { id, source: String(work), arg })
      return new Promise((resolve, reject) => this.#tabs.get(tab)?.pending.set(id, { resolve, reject }))
    }
    // A page that was not opened by a script cannot be closed by one; it goes with the browser.
    return { evaluate: evaluate as OpenPage['evaluate'], close: async () => {} }
  }

  #send(tab: string, task: object): void {
    const { answer, tasks } = this.#tabs.get(tab) as Tab
    if (answer) answer(task)
    else tasks.push(task)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('access-control-allow-origin', '*')
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const said = JSON.parse(body) as Said
    const tab = this.#tabs.get(said.tab)
    if (!tab) throw new Error(`nobody has opened the tab ${said.tab}`)
    this.#heard.get(said.tab)?.()
    if (said.id === undefined) {
      response.end(JSON.stringify(await nextOf(tab)))
      return
    }
    const waiting = tab.pending.get(said.id)
    tab.pending.delete(said.id)
    if (said.error === undefined) waiting?.resolve(said.value)
    else waiting?.reject(new Error(said.error))
    response.end()
  }
}

function nextOf(tab: Tab): Promise<object | null> {
  const task = tab.tasks.shift()
  if (task) return Promise.resolve(task)
  return new Promise((resolve) => {
    const late = setTimeout(() => answer(null), LONGEST_POLL)
    const answer = (next: object | null): void => {
      clearTimeout(late)
      delete tab.answer
      resolve(next)
    }
    tab.answer = answer
  })
}
