/** What the loops of the laws write down. */
export interface Log {
  done: string[]
}

/** Never resolves; rejects with the signal's reason. */
export const hangs = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
