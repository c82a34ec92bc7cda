/** The little of `chrome` that the tests need. */
interface Port {
  postMessage(message: unknown): void
  disconnect(): void
  readonly onMessage: { addListener(listener: (message: object) => void): void }
  readonly onDisconnect: { addListener(listener: () => void): void }
}

interface Chrome {
  readonly alarms: {
    create(name: string, info: { periodInMinutes: number }): Promise<void>
    readonly onAlarm: { addListener(listener: () => void): void }
  }
  readonly runtime: {
    connect(info: { name: string }): Port
    sendMessage(message: unknown): Promise<unknown>
    readonly onMessage: {
      addListener(
        listener: (message: never, sender: unknown, reply: (answer: unknown) => void) => boolean,
      ): void
    }
  }
}

export const { chrome } = globalThis as unknown as { chrome: Chrome }
