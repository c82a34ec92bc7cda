/** The little of `chrome`, or `browser` as Firefox has it, that is needed here. */
interface Heard<Args extends readonly unknown[]> {
  addListener(listener: (...args: Args) => unknown): void
}

/** Title and address are there when this extension may read the tab. */
export interface Tab {
  readonly id?: number
  readonly windowId: number
  readonly title?: string
  readonly url?: string
}

export interface Alarms {
  create(name: string, info: { periodInMinutes: number }): Promise<void>
  clear(name: string): Promise<boolean>
  readonly onAlarm: Heard<[]>
}

interface Browser {
  readonly action: { readonly onClicked: Heard<[tab: Tab]> }
  readonly alarms: Alarms
  readonly runtime: {
    openOptionsPage(): Promise<void>
    sendMessage(message: unknown): Promise<unknown>
    readonly onStartup: Heard<[]>
    readonly onMessage: Heard<[message: unknown, sender: Sender, reply: (answer: unknown) => void]>
  }
  readonly scripting: {
    executeScript<T>(call: { target: { tabId: number }; func: () => T }): Promise<{ result?: T }[]>
  }
  readonly tabs: { query(where: { active: true; lastFocusedWindow: true }): Promise<Tab[]> }
  /** Chromium's. */
  readonly sidePanel?: { open(where: { windowId: number }): Promise<void> }
  /** Firefox's. */
  readonly sidebarAction?: { open(): Promise<void> }
}

interface Sender {
  readonly id?: string
  readonly url?: string
  readonly origin?: string
}

const here = globalThis as unknown as { browser?: Browser; chrome: Browser }
export const browser = here.browser ?? here.chrome
