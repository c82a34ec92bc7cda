/** What the examples have from @types/chrome, in an app. */
declare namespace chrome {
  const alarms: {
    create(name: string, info: { periodInMinutes: number }): Promise<void>
    readonly onAlarm: { addListener(listener: () => void): void }
  }
  const runtime: {
    readonly onStartup: { addListener(listener: () => void): void }
    sendMessage(message: unknown): Promise<unknown>
    readonly onMessage: { addListener(listener: (message: never) => void): void }
  }
}
