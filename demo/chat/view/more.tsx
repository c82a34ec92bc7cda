import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** What is wanted less often, where there is no room for all. */
export function More({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  /** Below the button, which does not stand at the edge of the window where there is something beside. */
  const place = (): void => {
    const { right = 0 } = button.current?.getBoundingClientRect() ?? {}
    list.current?.style.setProperty('inset-inline-end', `${Math.max(8, innerWidth - right)}px`)
  }
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="More"
        title="More"
        popoverTarget="more"
        ref={button}
        onClick={place}
      >
        <Icon name="more" />
      </button>
      <div id="more" class="more" popover="auto" ref={list} onClick={() => list.current?.hidePopover()}>
        {children}
      </div>
    </>
  )
}
