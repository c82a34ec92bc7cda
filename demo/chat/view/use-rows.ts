/** A list of which only what is seen is drawn. It stays at its end while the end grows, unless the reader has left it. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import { Reader } from './reader.ts'

interface RowOptions {
  readonly keys: readonly string[]
  readonly scroller: () => HTMLElement | null
}

/** Nearer than this, in pixels, is at the end. */
const AT_END = 60

type Rows = Virtualizer<HTMLElement, HTMLElement>

export interface RowsRead {
  readonly rows: Rows
  goToEnd(): void
  goTo(index: number): void
  /** Something is about to be opened where it stands. */
  hold(): void
}

export function useRows({ keys, scroller }: RowOptions): RowsRead {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const [reader] = useState(() => new Reader(AT_END))
  const count = useRef(keys.length)
  if (keys.length > count.current) reader.release()
  count.current = keys.length
  const options = {
    count: keys.length,
    getItemKey: (index: number) => keys[index] ?? index,
    getScrollElement: scroller,
    estimateSize: () => 140,
    overscan: 4,
    anchorTo: reader.isHeld ? 'start' : 'end',
    followOnAppend: true,
    scrollEndThreshold: AT_END,
    observeElementRect: (instance: Rows, tell: Parameters<typeof observeElementRect>[1]) =>
      observeElementRect(instance, (rect) => {
        tell(rect)
        // What stands around it has taken room, or has given it back.
        if (reader.followsEnd && instance.options.count > 0) instance.scrollToEnd()
      }),
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  } as const
  const [rows] = useState<Rows>(() => new Virtualizer(options))
  rows.setOptions(options)
  useLayoutEffect(() => rows._didMount(), [rows])
  useLayoutEffect(() => {
    const element = scroller()
    if (!element) return
    // It is told of later than the click, when the reader may have gone on.
    const onToggle = ({ target }: Event): void => {
      if (reader.isHeld && target instanceof Element) target.scrollIntoView({ block: 'nearest' })
    }
    element.addEventListener('toggle', onToggle, { capture: true })
    const unwatch = reader.watch(element)
    return () => {
      element.removeEventListener('toggle', onToggle, { capture: true })
      unwatch()
    }
  }, [reader])
  useLayoutEffect(() => {
    rows._willUpdate()
    // It was not the reader who has led away from there.
    if (reader.followsEnd && keys.length > 0 && !rows.isAtEnd()) rows.scrollToEnd()
  })
  return {
    rows,
    goToEnd() {
      reader.goToEnd()
      rows.scrollToEnd()
    },
    goTo(index) {
      reader.leaveEnd()
      rows.scrollToIndex(index, { align: 'start' })
    },
    hold() {
      reader.hold()
      redraw(undefined)
    },
  }
}
