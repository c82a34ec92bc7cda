import { button, fill, h } from './dom/h.ts'

const PANES = ['threads', 'history', 'checkpoint'] as const
type PaneName = (typeof PANES)[number]
const TITLES = { threads: 'Threads', history: 'History', checkpoint: 'Checkpoint' } as const

/** Where the parts stand: side by side, or one at a time where there is no room. */
export class Frame {
  readonly element: HTMLElement
  readonly #top = h('header', { class: 'top' })
  readonly #panes = h('div', { class: 'panes' })
  readonly #switch: ReadonlyMap<PaneName, HTMLButtonElement>

  constructor(status: HTMLElement) {
    this.#switch = new Map(PANES.map((name) => [name, button(TITLES[name], () => this.go(name))]))
    const nav = h('nav', { class: 'switch', 'aria-label': 'Panes' }, ...this.#switch.values())
    this.element = h('div', { class: 'app' }, this.#top, nav, this.#panes, status)
    this.go('threads')
  }

  show(storage: HTMLElement, tools: readonly HTMLElement[]): void {
    fill(this.#top, storage, h('div', { class: 'tools' }, ...tools))
  }

  panes(...panes: readonly HTMLElement[]): void {
    fill(this.#panes, ...panes)
  }

  /** Which pane is seen where only one is. */
  go(name: PaneName): void {
    this.element.dataset['pane'] = name
    for (const [each, press] of this.#switch) press.setAttribute('aria-pressed', String(each === name))
  }
}
