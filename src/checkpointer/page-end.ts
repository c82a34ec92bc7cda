/** Calls back when the page goes, for good or into the browser's cache. Gives what stops it. */
export function onPageEnd(then: () => void): () => void {
  const scope = globalThis as Partial<Pick<Window, 'addEventListener' | 'removeEventListener'>>
  // A worker has no such event, and Node has no events at all.
  scope.addEventListener?.('pagehide', then)
  return () => scope.removeEventListener?.('pagehide', then)
}
