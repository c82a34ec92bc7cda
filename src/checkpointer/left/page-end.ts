type Listen = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>

export interface Leaving {
  /** The page is out of sight: it may be ended from now on without another word. */
  readonly mayEnd: () => void
  /** The page goes, for good or into the browser's cache. */
  readonly ends: () => void
  /** It is back from there. */
  readonly isBack: () => void
}

/** Calls back when the page goes, or may. Gives what stops it. */
export function onLeaving({ mayEnd, ends, isBack }: Leaving): () => void {
  // A worker has no such events and no document, and Node has no events at all.
  const page = globalThis as Partial<Listen>
  const document = (globalThis as { document?: Document }).document
  const onHidden = (): void => {
    if (document?.visibilityState === 'hidden') mayEnd()
  }
  page.addEventListener?.('pagehide', ends)
  page.addEventListener?.('pageshow', isBack)
  document?.addEventListener('visibilitychange', onHidden)
  return () => {
    page.removeEventListener?.('pagehide', ends)
    page.removeEventListener?.('pageshow', isBack)
    document?.removeEventListener('visibilitychange', onHidden)
  }
}
