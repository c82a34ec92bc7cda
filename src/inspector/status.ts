import { button, fill, h } from './dom/h.ts'
import { errorText } from './text/errors.ts'
import { shown } from './text/shown.ts'

/** What has just happened, and what went wrong; both are read out. */
export class Status {
  readonly element: HTMLElement
  readonly #news = h('p', { class: 'news', role: 'status' })
  readonly #error = h('div', { class: 'error', role: 'alert' })

  constructor() {
    this.element = h('footer', { class: 'status' }, this.#error, this.#news)
  }

  say(text: string): void {
    fill(this.#error)
    fill(this.#news, shown(text))
  }

  fail(error: unknown): void {
    fill(this.#news)
    fill(
      this.#error,
      errorText(error),
      button('×', () => fill(this.#error), { class: 'quiet', 'aria-label': 'Dismiss' }),
    )
  }
}
