interface Moves {
  /** Whether that changed anything. */
  readonly open: (item: Element) => boolean
  readonly close: (item: Element) => boolean
  readonly parent: (item: Element) => HTMLElement | undefined
}

/** A tree by keyboard and pointer: one item can be reached with Tab, the arrows lead to the others. */
export function treeKeys(tree: HTMLElement, moves: Moves): void {
  const toggle = (item: Element): void => void (moves.open(item) || moves.close(item))

  let pressedAt = [0, 0]
  tree.addEventListener('pointerdown', ({ clientX, clientY }) => void (pressedAt = [clientX, clientY]))
  tree.addEventListener('click', ({ target, clientX, clientY }) => {
    const item = itemOf(target)
    if (!item || isWithin(target, 'button, .long-text')) return
    focus(tree, item)
    const [x = 0, y = 0] = pressedAt
    // Whoever has marked some text with the pointer did not mean to open anything.
    if (Math.hypot(clientX - x, clientY - y) < 5 || clientX + clientY === 0) toggle(item)
  })
  tree.addEventListener('keydown', (event) => {
    const item = itemOf(event.target)
    if (!item || event.target !== item || event.altKey || event.ctrlKey || event.metaKey) return
    const lead: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(tree, item.nextElementSibling),
      ArrowUp: () => focus(tree, item.previousElementSibling),
      ArrowRight: () => void (moves.open(item) || focus(tree, below(item))),
      ArrowLeft: () => void (moves.close(item) || focus(tree, moves.parent(item))),
      Home: () => focus(tree, tree.firstElementChild),
      End: () => focus(tree, tree.lastElementChild),
      Enter: () => toggle(item),
      ' ': () => toggle(item),
    }
    if (!Object.hasOwn(lead, event.key)) return
    event.preventDefault()
    lead[event.key]?.()
  })
}

function focus(tree: HTMLElement, item: Element | null | undefined): void {
  if (!(item instanceof HTMLElement)) return
  tree.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1')
  item.tabIndex = 0
  item.focus()
}

const itemOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest('[role=treeitem]') : null

const isWithin = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null

/** The first item below one that is open. */
function below(item: Element): Element | null {
  return item.getAttribute('aria-expanded') === 'true' ? item.nextElementSibling : null
}
