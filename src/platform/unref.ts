/** Of a timer or a channel: in Node it alone keeps no process alive. Browsers know no such thing. */
export function unref(kept: unknown): void {
  ;(kept as { unref?: () => void } | undefined)?.unref?.()
}
