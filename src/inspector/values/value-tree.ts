import { h } from '../dom/h.ts'
import { isStretch, nameOf, shownParts, type Shown } from './pages.ts'
import { shapeOf, type Shape } from './shape.ts'
import { treeKeys } from './tree-keys.ts'
import { isLong, drawRow, spread } from './tree-row.ts'

/** One line of the tree. Lines stand flat below one another, however deep they are. */
export interface TreeRow {
  readonly element: HTMLElement
  readonly item: Shown
  readonly shape: Shape
  readonly level: number
  readonly parent: TreeRow | undefined
  /** The same value stands further up: it is not gone into again. */
  readonly isCircle: boolean
}

/** A value of any kind and size as a tree that is gone into step by step. */
export class ValueTree {
  readonly element: HTMLElement
  readonly #rows = new Map<Element, TreeRow>()

  /** What stands at the paths that were open elsewhere is opened here too. */
  constructor(value: unknown, label: string, open: ReadonlySet<string> = new Set()) {
    this.element = h('div', { role: 'tree', 'aria-label': label, class: 'tree' })
    const shape = shapeOf(value)
    if (shape.size > 0) this.element.append(...this.#below({ shape, from: 0, to: shape.size }, undefined))
    else this.element.append(this.#row({ name: '', isKey: false, value }, undefined, 1, 1))
    for (const [element, row] of this.#rows) if (open.has(pathOf(row))) this.#open(element)
    treeKeys(this.element, {
      open: (element) => this.#open(element),
      close: (element) => this.#close(element),
      parent: (element) => this.#rows.get(element)?.parent?.element,
    })
  }

  /** The paths of what is open. */
  get open(): ReadonlySet<string> {
    const isOpen = ([element]: [Element, TreeRow]): boolean =>
      element.getAttribute('aria-expanded') === 'true'
    return new Set([...this.#rows].filter(isOpen).map(([, row]) => pathOf(row)))
  }

  /** Whether there is something below it, and it was closed. */
  #open(element: Element): boolean {
    const row = this.#rows.get(element)
    if (element.getAttribute('aria-expanded') !== 'false' || !row) return false
    element.setAttribute('aria-expanded', 'true')
    const { item, shape } = row
    if (isStretch(item)) element.after(...this.#below(item, row))
    else if (shape.size > 0) element.after(...this.#below({ shape, from: 0, to: shape.size }, row))
    else spread(row, true)
    return true
  }

  #close(element: Element): boolean {
    const row = this.#rows.get(element)
    if (element.getAttribute('aria-expanded') !== 'true' || !row) return false
    element.setAttribute('aria-expanded', 'false')
    if (isLong(row)) spread(row, false)
    for (let next = element.nextElementSibling; next; next = element.nextElementSibling) {
      const below = this.#rows.get(next)
      if (!below || below.level <= row.level) break
      this.#rows.delete(next)
      next.remove()
    }
    return true
  }

  #below(stretch: Parameters<typeof shownParts>[0], parent: TreeRow | undefined): HTMLElement[] {
    const items = shownParts(stretch)
    return items.map((item, i) => this.#row(item, parent, i + 1, items.length))
  }

  #row(item: Shown, parent: TreeRow | undefined, place: number, of: number): HTMLElement {
    const shape = isStretch(item) ? item.shape : shapeOf(item.value)
    const level = (parent?.level ?? 0) + 1
    const element = h('div', {
      role: 'treeitem',
      class: 'tree-row',
      tabindex: parent === undefined && place === 1 ? 0 : -1,
      'aria-level': level,
      'aria-setsize': of,
      'aria-posinset': place,
    })
    element.style.setProperty('--_level', String(level - 1))
    const row = {
      element,
      item,
      shape,
      level,
      parent,
      isCircle: !isStretch(item) && isAbove(item.value, parent),
    }
    const opens = isStretch(item) || (shape.size > 0 && !row.isCircle) || isLong(row)
    if (opens) element.setAttribute('aria-expanded', 'false')
    drawRow(row)
    this.#rows.set(element, row)
    return element
  }
}

function pathOf(row: TreeRow): string {
  const names: string[] = []
  for (let at: TreeRow | undefined = row; at; at = at.parent)
    names.push(isStretch(at.item) ? nameOf(at.item) : at.item.name)
  return JSON.stringify(names)
}

function isAbove(value: unknown, parent: TreeRow | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (let row = parent; row; row = row.parent)
    if (!isStretch(row.item) && row.item.value === value) return true
  return false
}
