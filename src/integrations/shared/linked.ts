/** A controller that is aborted with any of these signals too, and lets go of them then. */
export function linked(...signals: readonly (AbortSignal | undefined)[]): AbortController {
  const controller = new AbortController()
  for (const signal of signals) {
    const abort = (): void => controller.abort(signal?.reason)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true, signal: controller.signal })
  }
  return controller
}
