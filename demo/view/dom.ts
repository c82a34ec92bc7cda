/** The little that the views need of the DOM. Text goes in as text nodes, never as markup. */

type Child = Node | string | undefined | false
type Attributes = Readonly<Record<string, string | boolean | undefined>>

export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value)
  element.append(...children.filter((child) => child !== undefined && child !== false))
  return element
}

export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el('button', { type: 'button', ...attributes }, text)
  element.addEventListener('click', onClick)
  return element
}

export function setAttribute(element: Element, name: string, value: string | boolean | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : value)
}

/** The element of the page with this id. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`The page has no ${type.name} with the id ${id}.`)
  return element
}

/** Makes the list show the items. Rows that stay are the same elements, and keep the focus. */
export function showRows<Item>(
  list: HTMLElement,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  fill: (row: HTMLButtonElement, item: Item) => readonly Node[],
): void {
  const focused = document.activeElement
  const before = new Map(
    [...list.querySelectorAll<HTMLElement>(':scope > li')].map((li) => [li.dataset['key'], li]),
  )
  let place = list.firstElementChild
  for (const item of items) {
    const key = keyOf(item)
    const row =
      before.get(key) ?? el('li', { 'data-key': key }, el('button', { type: 'button', class: 'row' }))
    before.delete(key)
    const button = row.firstElementChild
    if (button instanceof HTMLButtonElement) replaceWhenOther(button, fill(button, item))
    if (row === place) place = place.nextElementSibling
    else list.insertBefore(row, place)
  }
  for (const row of before.values()) row.remove()
  if (focused instanceof HTMLElement && focused !== document.activeElement && list.contains(focused)) {
    focused.focus({ preventScroll: true })
  }
}

/** What a finger is on must not be replaced by its like: the click would be lost. */
function replaceWhenOther(element: Element, children: readonly Node[]): void {
  const isSame =
    element.childNodes.length === children.length &&
    children.every((child, i) => child.isEqualNode(element.childNodes[i] ?? null))
  if (!isSame) element.replaceChildren(...children)
}

/** A click on a row tells its key; the arrow keys, Home and End go from row to row. */
export function onRow(list: HTMLElement, choose: (key: string) => void): void {
  list.addEventListener('click', ({ target }) => {
    const key = target instanceof Element && target.closest<HTMLElement>('li')?.dataset['key']
    if (typeof key === 'string') choose(key)
  })
  list.addEventListener('keydown', (event) => {
    const rows = [...list.querySelectorAll<HTMLButtonElement>('button.row')]
    const at = rows.findIndex((row) => row === document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (at < 0 || to === undefined) return
    event.preventDefault()
    rows[to]?.focus()
  })
}

/** Where a checkpoint stands: by the store's count, and by the agent's. */
export const placeOf = (seq: number, step: number | undefined): string =>
  step === undefined ? `seq ${seq}` : `seq ${seq} · step ${step}`

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

export function timeOf(date: Date): HTMLTimeElement {
  return el('time', { datetime: date.toISOString(), title: date.toLocaleString() }, clock.format(date))
}
