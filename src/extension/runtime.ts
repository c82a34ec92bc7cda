/** The little of `chrome.runtime`, or `browser.runtime`, that is needed. */
export interface Sender {
  /** Of the extension it comes from; absent for a page of the web. */
  readonly id?: string | undefined
  readonly url?: string | undefined
  readonly origin?: string | undefined
  readonly tab?: { readonly id?: number | undefined; readonly url?: string | undefined } | undefined
  readonly frameId?: number | undefined
}

interface Listeners<Args extends readonly unknown[]> {
  addListener(listener: (...args: Args) => void): void
  removeListener(listener: (...args: Args) => void): void
}

export interface Port {
  readonly name: string
  readonly sender?: Sender | undefined
  postMessage(message: unknown): void
  disconnect(): void
  readonly onMessage: Listeners<readonly [message: unknown]>
  readonly onDisconnect: Listeners<readonly [port: never]>
}

export interface Runtime {
  readonly id?: string | undefined
  getURL(path: string): string
  connect(info: { name: string }): Port
  connect(extensionId: string, info: { name: string }): Port
  readonly onConnect: Listeners<readonly [port: never]>
  readonly onConnectExternal?: Listeners<readonly [port: never]> | undefined
}

interface Browser {
  readonly runtime?: Runtime | undefined
}

/** Chrome's, or Firefox's by the name that it has there. */
export function runtimeHere(): Runtime | undefined {
  const { browser, chrome } = globalThis as unknown as { browser?: Browser; chrome?: Browser }
  return browser?.runtime ?? chrome?.runtime
}

export const portName = (name: string): string => `forkpoint:${name}`
