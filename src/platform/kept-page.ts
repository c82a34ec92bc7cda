import { isWebKit } from './engine.ts'

type Page = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>

export interface Kept {
  /** The page goes, and may come back. */
  readonly goes: () => void
  readonly isBack: () => void
}

/**
 * Tells when the browser keeps a page that was left, for a way back, and when it is shown again; in WebKit alone, where
 * that stops the page and its workers in the midst of a transaction, and nobody can read or write until the page is
 * thrown away. Other engines do not keep such a page, or throw it away when others wait for it. Gives what ends that.
 */
export function whenKept({ goes, isBack }: Kept): () => void {
  const page = globalThis as Partial<Page> & { readonly document?: unknown }
  // A worker is told of none of this.
  if (!isWebKit() || !page.document) return () => {}
  let isKept = false
  const onHide: EventListener = (event) => {
    if (!(event as PageTransitionEvent).persisted || isKept) return
    isKept = true
    goes()
  }
  const onShow = (): void => {
    if (!isKept) return
    isKept = false
    isBack()
  }
  page.addEventListener?.('pagehide', onHide)
  page.addEventListener?.('pageshow', onShow)
  return () => {
    page.removeEventListener?.('pagehide', onHide)
    page.removeEventListener?.('pageshow', onShow)
  }
}
