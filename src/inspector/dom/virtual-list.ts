import { h } from './h.ts'

interface Options<Item> {
  readonly label: string
  readonly role: 'listbox' | 'tree'
  readonly rowHeight: number
  readonly key: (item: Item) => string
  /** Fills the row; may give it more attributes. */
  readonly draw: (item: Item, row: HTMLElement, index: number) => void
  /** Enter or a click: with `isMark`, one that was made with Ctrl or ⌘, or the key C. */
  readonly onChoose: (item: Item, isMark: boolean) => void
  /** Enter or a click alone, not what the arrows come by. */
  readonly onOpen?: (item: Item) => void
  /** The arrows choose too, rather than only leading there. */
  readonly chooseOnMove?: boolean
}

/** Rows above and below of what is seen. */
const SPARE = 8
let lists = 0

/** A list of any length, of which only what is seen is made. */
export class VirtualList<Item> {
  readonly element: HTMLElement
  readonly #options: Options<Item>
  readonly #rows = h('div', { class: 'rows', role: 'none' })
  readonly #drawn = new Map<number, HTMLElement>()
  readonly #name = `list-${++lists}`
  readonly #sight = new ResizeObserver(() => this.#draw())
  #items: readonly Item[] = []
  #selected: string | undefined
  #active = 0

  constructor(options: Options<Item>) {
    this.#options = options
    const { label, role } = options
    this.element = h('div', {
      class: 'virtual',
      role,
      tabindex: 0,
      'aria-label': label,
      on: {
        scroll: () => this.#draw(),
        keydown: (event) => this.#press(event),
        click: (event) => this.#click(event),
      },
    })
    this.element.append(this.#rows)
    this.#sight.observe(this.element)
  }

  /** What stays keeps its place under the reader's eye and under the keyboard. */
  show(items: readonly Item[], selected?: string): void {
    const { key, rowHeight } = this.#options
    const active = this.#items[this.#active]
    const top = Math.floor(this.element.scrollTop / rowHeight)
    const seen = this.element.scrollTop > 0 ? this.#items[top] : undefined
    this.#items = items
    this.#selected = selected
    this.#active = Math.max(0, this.#indexOf(active === undefined ? selected : key(active)))
    this.#rows.style.blockSize = `${items.length * rowHeight}px`
    const now = seen === undefined ? -1 : this.#indexOf(key(seen))
    if (now >= 0 && now !== top) this.element.scrollTop += (now - top) * rowHeight
    this.redraw()
  }

  select(selected: string | undefined, options: { readonly reveal?: boolean } = {}): void {
    this.#selected = selected
    const index = this.#indexOf(selected)
    if (index >= 0) this.#active = index
    if (index >= 0 && options.reveal) this.#reveal(index)
    this.redraw()
  }

  /** Draws again what is seen. */
  redraw(): void {
    for (const row of this.#drawn.values()) row.remove()
    this.#drawn.clear()
    this.#draw()
  }

  stop(): void {
    this.#sight.disconnect()
  }

  #indexOf(key: string | undefined): number {
    return key === undefined ? -1 : this.#items.findIndex((item) => this.#options.key(item) === key)
  }

  #draw(): void {
    const { rowHeight } = this.#options
    const { scrollTop, clientHeight } = this.element
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - SPARE)
    const last = Math.min(this.#items.length - 1, Math.ceil((scrollTop + clientHeight) / rowHeight) + SPARE)
    for (const [index, row] of this.#drawn) {
      if ((index >= first && index <= last) || index === this.#active) continue
      row.remove()
      this.#drawn.delete(index)
    }
    for (let index = first; index <= last; index++) this.#drawRow(index)
    // What the keyboard stands on is there for screen readers, wherever was scrolled to.
    this.#drawRow(this.#active)
    this.#mark()
  }

  #drawRow(index: number): void {
    const item = this.#items[index]
    if (item === undefined || this.#drawn.has(index)) return
    const { role, key, draw, rowHeight } = this.#options
    const row = h('div', {
      id: `${this.#name}-${index}`,
      role: role === 'tree' ? 'treeitem' : 'option',
      class: 'row',
      'aria-setsize': this.#items.length,
      'aria-posinset': index + 1,
      'aria-selected': String(key(item) === this.#selected),
    })
    row.style.transform = `translateY(${index * rowHeight}px)`
    row.style.blockSize = `${rowHeight}px`
    draw(item, row, index)
    this.#drawn.set(index, row)
    this.#rows.append(row)
  }

  #mark(): void {
    for (const [index, row] of this.#drawn) row.classList.toggle('active', index === this.#active)
    if (this.#items.length > 0)
      this.element.setAttribute('aria-activedescendant', `${this.#name}-${this.#active}`)
    else this.element.removeAttribute('aria-activedescendant')
  }

  #press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#options.rowHeight) - 1)
    const last = this.#items.length - 1
    const ways: Readonly<Record<string, number>> = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: last,
    }
    const item = this.#items[this.#active]
    if (Object.hasOwn(ways, event.key)) this.#move(Math.min(last, Math.max(0, ways[event.key] ?? 0)))
    else if ((event.key === 'Enter' || event.key === ' ') && item !== undefined) this.#open(item, false)
    else if (event.key.toLowerCase() === 'c' && item !== undefined) this.#options.onChoose(item, true)
    else return
    event.preventDefault()
  }

  #move(index: number): void {
    const item = this.#items[index]
    if (item === undefined) return
    this.#active = index
    this.#reveal(index)
    this.#draw()
    if (this.#options.chooseOnMove) this.#options.onChoose(item, false)
  }

  #click({ target, ctrlKey, metaKey }: MouseEvent): void {
    const row = target instanceof Element ? target.closest('.row') : null
    for (const [index, drawn] of this.#drawn) {
      const item = this.#items[index]
      if (drawn !== row || item === undefined) continue
      this.#active = index
      this.#mark()
      this.#open(item, ctrlKey || metaKey)
      return
    }
  }

  #open(item: Item, isMark: boolean): void {
    this.#options.onChoose(item, isMark)
    if (!isMark) this.#options.onOpen?.(item)
  }

  #reveal(index: number): void {
    const { rowHeight } = this.#options
    const { scrollTop, clientHeight } = this.element
    const top = index * rowHeight
    if (top < scrollTop) this.element.scrollTop = top
    else if (top + rowHeight > scrollTop + clientHeight)
      this.element.scrollTop = top + rowHeight - clientHeight
  }
}
