import { button, fill, h } from '../dom/h.ts'

interface Tab {
  readonly name: string
  readonly panel: () => HTMLElement
}

let made = 0

/** One of several views at a time; the arrows go from tab to tab. What is in a view is made when it is looked at. */
export class Tabs {
  readonly element: HTMLElement
  readonly #panel: HTMLElement
  readonly #bar = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views of the checkpoint' })
  readonly #id = `tabs-${++made}`
  #tabs: readonly Tab[] = []
  #chosen = 0

  constructor() {
    this.#panel = h('div', { class: 'tab-panel', role: 'tabpanel', tabindex: 0, id: `${this.#id}-panel` })
    this.#bar.addEventListener('keydown', (event) => this.#press(event))
    this.element = h('div', { class: 'tabbed' }, this.#bar, this.#panel)
  }

  show(tabs: readonly Tab[]): void {
    this.#tabs = tabs
    const hadFocus = this.#bar.matches(':focus-within')
    fill(this.#bar, ...tabs.map(({ name }, i) => this.#button(name, i)))
    this.#choose(Math.min(this.#chosen, tabs.length - 1), hadFocus)
  }

  /** Makes the view of a tab again, if it is the one that is seen. */
  redraw(index: number): void {
    if (index === this.#chosen && this.#tabs.length > 0) this.#choose(index)
  }

  #button(name: string, index: number): HTMLElement {
    return button(name, () => this.#choose(index), {
      role: 'tab',
      class: 'tab',
      id: `${this.#id}-${index}`,
      'aria-controls': `${this.#id}-panel`,
    })
  }

  #choose(index: number, focus = false): void {
    this.#chosen = index
    for (const [i, tab] of [...this.#bar.children].entries()) {
      tab.setAttribute('aria-selected', String(i === index))
      tab.setAttribute('tabindex', i === index ? '0' : '-1')
      if (i === index && focus && tab instanceof HTMLElement) tab.focus()
    }
    this.#panel.setAttribute('aria-labelledby', `${this.#id}-${index}`)
    const panel = this.#tabs[index]?.panel()
    fill(this.#panel, panel)
  }

  #press(event: KeyboardEvent): void {
    const last = this.#tabs.length - 1
    const ways: Readonly<Record<string, number>> = {
      ArrowRight: this.#chosen === last ? 0 : this.#chosen + 1,
      ArrowLeft: this.#chosen === 0 ? last : this.#chosen - 1,
      Home: 0,
      End: last,
    }
    const to = Object.hasOwn(ways, event.key) ? ways[event.key] : undefined
    if (to === undefined) return
    event.preventDefault()
    this.#choose(to, true)
  }
}
