import { onAbort } from '../../platform/on-abort.ts'

/** A controller that is aborted with any of these signals too; `unlink` lets go of them. */
export function linkedController(signals: readonly (AbortSignal | undefined)[]): {
  readonly controller: AbortController
  readonly unlink: () => void
} {
  const controller = new AbortController()
  const links = signals.flatMap((signal) => {
    if (!signal) return []
    const abort = (): void => controller.abort(signal.reason)
    if (!signal.aborted) return [onAbort(signal, abort)]
    abort()
    return []
  })
  const unlink = (): void => links.forEach((each) => each())
  if (controller.signal.aborted) unlink()
  return { controller, unlink }
}
