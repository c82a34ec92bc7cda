import type { Usage } from '../index.ts'
import { attempt, type Desk } from './desk.ts'
import { button, fill, h } from './dom/h.ts'
import { bytes, count, counted, percent } from './text/units.ts'

/** How much is stored, of how much there may be, and whether the browser has promised to keep it. */
export class StorageBar {
  readonly element: HTMLElement
  /** Says that it is kept, or asks for it. */
  readonly kept = h('span', { class: 'kept-or-not' })
  readonly #desk: Desk
  readonly #onUsage: (usage: Usage) => void
  readonly #fill = h('span', { class: 'meter-fill' })
  readonly #meter = h(
    'span',
    {
      class: 'meter',
      role: 'meter',
      'aria-label': 'Storage',
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      'aria-valuenow': 0,
    },
    this.#fill,
  )
  readonly #text = h('span', { class: 'less' }, 'Counting …')

  constructor(desk: Desk, onUsage: (usage: Usage) => void) {
    this.#desk = desk
    this.#onUsage = onUsage
    this.element = h('div', { class: 'storage' }, this.#meter, this.#text)
  }

  async refresh(): Promise<void> {
    const { signal } = this.#desk
    let isFirst = this.#meter.ariaValueText === null
    const usage = await this.#desk.checkpointer.usage({
      signal,
      onProgress: (checkpoints) => {
        if (isFirst) this.#text.textContent = `Counting … ${count(checkpoints)}`
      },
    })
    isFirst = false
    this.#show(usage)
    this.#onUsage(usage)
  }

  #show({ bytes: stored, quota, persisted, threads, checkpoints }: Usage): void {
    const share = quota ? (100 * stored) / quota : 0
    this.#fill.style.inlineSize = `${Math.min(100, share)}%`
    const of = quota === undefined ? '' : ` of ${bytes(quota)} (${percent(stored, quota)})`
    this.#meter.ariaValueNow = share.toFixed(1)
    this.#meter.ariaValueText = `${bytes(stored)}${of}`
    this.#text.textContent = `${bytes(stored)}${of} · ${counted(threads, 'thread')} · ${counted(checkpoints, 'checkpoint')}`
    if (persisted === true)
      fill(
        this.kept,
        h('span', { class: 'badge kept', title: 'The browser has promised not to evict it.' }, 'persistent'),
      )
    else if (this.kept.childElementCount === 0 && persisted === false)
      fill(
        this.kept,
        button('Persist', () => attempt(this.#desk, () => this.#persist()), {
          class: 'quiet',
          title: 'Asks the browser not to evict it',
        }),
      )
  }

  async #persist(): Promise<void> {
    const answer = await this.#desk.checkpointer.persist()
    if (answer === 'granted') this.#desk.say('The browser will keep this data.')
    else
      this.#desk.say(
        answer === 'refused'
          ? 'The browser did not agree to keep it. It may later, for a site that is used often.'
          : 'This browser cannot be asked here.',
      )
    await this.refresh()
  }
}
