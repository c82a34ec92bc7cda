import type { ThreadSummary, ThreadUsage } from '../../index.ts'
import { fill, h } from '../dom/h.ts'
import { VirtualList } from '../dom/virtual-list.ts'
import { count } from '../text/units.ts'
import type { Titles } from '../text/titles.ts'
import type { ThreadList } from './thread-list.ts'
import { drawThread } from './thread-row.ts'

const ROW = 46

/** The threads, to be searched and chosen from. */
export class ThreadsPane {
  readonly element: HTMLElement
  readonly #list: VirtualList<ThreadSummary>
  readonly #threads: ThreadList
  readonly #titles: Titles
  readonly #count = h('span', { class: 'count' })
  readonly #empty = h('p', { class: 'empty', hidden: true })
  readonly #search = h('input', {
    type: 'search',
    placeholder: 'Search threads',
    'aria-label': 'Search threads',
    on: { input: () => this.show() },
  })
  #usage = new Map<string, ThreadUsage>()
  #largest = 0
  #selected: string | undefined

  constructor(titles: Titles, threads: ThreadList, onChoose: (id: string) => void) {
    this.#titles = titles
    this.#threads = threads
    this.#list = new VirtualList<ThreadSummary>({
      label: 'Threads',
      role: 'listbox',
      rowHeight: ROW,
      key: ({ id }) => id,
      draw: (thread, row) => this.#draw(thread, row),
      onChoose: ({ id }) => onChoose(id),
    })
    const head = h('header', { class: 'pane-head' }, h('h2', {}, 'Threads'), this.#count)
    const find = h('div', { class: 'pane-tools' }, this.#search)
    this.element = h(
      'section',
      { class: 'pane threads', 'aria-label': 'Threads' },
      head,
      find,
      this.#empty,
      this.#list.element,
    )
  }

  select(id: string | undefined): void {
    this.#selected = id
    this.#list.select(id, { reveal: true })
  }

  showUsage(perThread: readonly ThreadUsage[]): void {
    this.#usage = new Map(perThread.map((usage) => [usage.id, usage]))
    this.#largest = perThread[0]?.bytes ?? 0
    this.#list.redraw()
  }

  show(): void {
    const { threads, isRead } = this.#threads
    const wanted = this.#search.value.trim().toLowerCase()
    const found = wanted === '' ? threads : threads.filter((thread) => this.#isFound(thread, wanted))
    this.#count.textContent =
      wanted === '' ? count(threads.length) : `${count(found.length)} of ${count(threads.length)}`
    const why = wanted === '' ? 'Nothing is saved yet.' : 'No thread fits.'
    fill(this.#empty, isRead && found.length === 0 && why)
    this.#empty.hidden = found.length > 0
    this.#list.show(found, this.#selected)
  }

  stop(): void {
    this.#list.stop()
  }

  #draw(thread: ThreadSummary, row: HTMLElement): void {
    const { id } = thread
    const [run] = this.#threads.runsOf(id)
    const usage = this.#usage.get(id)
    drawThread(row, { thread, run, usage, largest: this.#largest, titles: this.#titles })
  }

  #isFound({ id, label, forkOf }: ThreadSummary, wanted: string): boolean {
    const names = [this.#titles.of(id), id, label, forkOf?.thread]
    return names.some((text) => text?.toLowerCase().includes(wanted))
  }
}
