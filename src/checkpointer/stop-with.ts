interface Stop {
  readonly signal: AbortSignal
  /** Aborts it; nothing more is heard of the others. */
  readonly stop: (reason?: unknown) => void
}

/** A signal that is aborted with the first of these, for its reason, or by hand. */
export function stopWith(signals: readonly (AbortSignal | undefined)[]): Stop {
  const controller = new AbortController()
  const leaving: (() => void)[] = []
  const stop = (reason?: unknown): void => {
    for (const leave of leaving.splice(0)) leave()
    controller.abort(reason)
  }
  for (const signal of signals) {
    if (!signal) continue
    if (signal.aborted) stop(signal.reason)
    const onAbort = (): void => stop(signal.reason)
    signal.addEventListener('abort', onAbort)
    leaving.push(() => signal.removeEventListener('abort', onAbort))
  }
  if (controller.signal.aborted) stop()
  return { signal: controller.signal, stop }
}
