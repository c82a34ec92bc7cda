/** Which parts of the page are seen: beside one another, or over one another where there is no room. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useMedia } from './use-media.ts'

/** One part at a time. */
const NARROW = '(max-width: 52rem)'
/** Conversation and inspector, but no list beside these two. */
const TIGHT = '(max-width: 100rem)'

export interface Parts {
  /** The list of conversations comes over the others when it is called for. */
  readonly isDrawer: boolean
  readonly isDrawerOpen: boolean
  readonly isInspected: boolean
  /** The inspector covers the conversation. */
  readonly isCovered: boolean
  toggleMenu(): void
  closeMenu(): void
  toggleInspector(): void
}

/** What comes over the others has the focus, and gives it back when it goes; Escape sends it away. */
export function useParts(): Parts {
  const isNarrow = useMedia(NARROW)
  const isTight = useMedia(TIGHT)
  const [menu, setMenu] = useState<'closed' | 'open' | 'search'>('closed')
  const [isInspected, setInspected] = useState(false)
  const isDrawer = isNarrow || (isInspected && isTight)
  const isDrawerOpen = isDrawer && menu !== 'closed'
  const isCovered = isNarrow && isInspected
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !isInDialog(event)) {
        if (isDrawerOpen) setMenu('closed')
        else if (isCovered) setInspected(false)
      }
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      if (isDrawer && !isDrawerOpen) setMenu('search')
      else focusOn('#search')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isDrawer, isDrawerOpen, isCovered])
  useEffect(() => {
    if (!isDrawer) setMenu('closed')
  }, [isDrawer])
  useChange(isDrawerOpen, () => {
    if (isDrawerOpen) focusOn(menu === 'search' ? '#search' : '.sidebar .new')
    else if (isLost()) focusOn('.menu')
  })
  useChange(isInspected, () => {
    if (!isInspected && isLost()) focusOn('.inspect')
  })
  return {
    isDrawer,
    isDrawerOpen,
    isInspected,
    isCovered,
    toggleMenu: () => setMenu(menu === 'closed' ? 'open' : 'closed'),
    closeMenu: () => setMenu('closed'),
    toggleInspector: () => setInspected(!isInspected),
  }
}

/** When it has become another, not at first. */
function useChange(value: boolean, tell: () => void): void {
  const before = useRef(value)
  useEffect(() => {
    if (before.current === value) return
    before.current = value
    tell()
  }, [value])
}

const focusOn = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus()

/** The focus is on nothing that can be seen. */
function isLost(): boolean {
  const { activeElement } = document
  return !activeElement || activeElement === document.body || activeElement.closest('.sidebar') !== null
}

/** A dialog is closed by it first, also one of the inspector's. */
const isInDialog = (event: KeyboardEvent): boolean =>
  event.composedPath().some((at) => at instanceof HTMLDialogElement)
