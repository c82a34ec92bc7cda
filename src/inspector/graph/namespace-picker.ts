import { attempt, type Desk, type Place } from '../desk.ts'
import { fill, h } from '../dom/h.ts'
import { plain } from '../text/shown.ts'

/** Which namespace of a thread is shown; hidden where there is only the root. */
export class NamespacePicker {
  readonly element: HTMLElement
  readonly #desk: Desk
  readonly #select: HTMLSelectElement
  #place: Place | undefined

  constructor(desk: Desk, onChoose: (namespace: string) => void) {
    this.#desk = desk
    this.#select = h('select', {
      'aria-label': 'Namespace',
      on: { change: () => onChoose(this.#select.value) },
    })
    this.element = h('span', { class: 'namespaces', hidden: true }, 'in ', this.#select)
  }

  show(place: Place | undefined): void {
    this.#place = place
    this.element.hidden = true
    if (place) attempt(this.#desk, () => this.#read(place))
  }

  async #read(place: Place): Promise<void> {
    const found = await this.#desk.checkpointer.thread(place.thread).namespaces()
    if (place !== this.#place) return
    const names = new Set(['', place.namespace, ...found])
    fill(
      this.#select,
      ...[...names].map((name) => h('option', { value: name }, name === '' ? 'root' : plain(name, 80))),
    )
    this.#select.value = place.namespace
    this.element.hidden = names.size < 2
  }
}
