import type { Desk } from '../desk.ts'
import { button, fill, h, type Child } from '../dom/h.ts'
import { errorText, isAbort } from '../text/errors.ts'

/** A work that may take long. */
type Work = (signal: AbortSignal, tell: (progress: string) => void) => Promise<string | Child[]>

interface Question {
  readonly title: string
  readonly body: readonly Child[]
  /** What the button says that does it. */
  readonly act: string
  readonly isDanger?: boolean
  /** Resolves to what is said of it afterwards; or to a report, which stays until it was read. */
  readonly work: Work
  readonly onEnd?: () => void
}

let dialogs = 0

/** Asks before something is done, shows how far it is, and lets it be stopped. */
export class Dialog {
  readonly act: HTMLButtonElement
  readonly #desk: Desk
  readonly #work: Work
  readonly #element: HTMLDialogElement
  readonly #body: HTMLElement
  readonly #error = h('p', { class: 'error', role: 'alert' })
  readonly #progress = h('p', { class: 'progress', role: 'status' })
  readonly #leave: HTMLButtonElement
  #going: AbortController | undefined

  constructor(desk: Desk, { title, body, act, isDanger = false, work, onEnd }: Question) {
    this.#desk = desk
    this.#work = work
    const id = `dialog-${++dialogs}`
    this.#body = h('div', { class: 'dialog-body' }, ...body)
    this.#leave = button('Cancel', () => this.#stop())
    this.act = h('button', { type: 'submit', class: isDanger ? 'danger primary' : 'primary' }, act)
    const form = h(
      'form',
      { on: { submit: (event) => this.#submit(event) } },
      h('h2', { id }, title),
      this.#body,
      this.#error,
      this.#progress,
      h('div', { class: 'dialog-acts' }, this.#leave, this.act),
    )
    this.#element = h(
      'dialog',
      { 'aria-labelledby': id, on: { cancel: (event) => this.#cancel(event), close: () => this.#end() } },
      form,
    )
    if (onEnd) this.#element.addEventListener('close', onEnd)
    desk.signal.addEventListener('abort', () => this.#element.close(), { once: true })
    desk.root.append(this.#element)
    this.#element.showModal()
  }

  /** Says what is wrong with what was given; nothing when it is right. */
  complain(problem: unknown): void {
    fill(this.#error, problem !== undefined && errorText(problem))
  }

  #submit(event: Event): void {
    event.preventDefault()
    if (!this.#going) void this.#go()
  }

  async #go(): Promise<void> {
    this.#going = new AbortController()
    this.#hold(true)
    this.complain(undefined)
    try {
      this.#finish(await this.#work(this.#going.signal, (progress) => fill(this.#progress, progress)))
    } catch (error) {
      this.complain(isAbort(error) ? new Error('Stopped.') : error)
    } finally {
      this.#going = undefined
      fill(this.#progress)
      this.#hold(false)
    }
  }

  #finish(result: string | Child[]): void {
    if (typeof result === 'string') {
      this.#element.close()
      return this.#desk.say(result)
    }
    fill(this.#body, ...result)
    this.act.remove()
    this.#leave.textContent = 'Close'
    this.#leave.focus()
  }

  #hold(isGoing: boolean): void {
    this.act.disabled = isGoing
    for (const field of this.#body.querySelectorAll('input, select, textarea'))
      field.toggleAttribute('disabled', isGoing)
    if (this.act.isConnected) this.#leave.textContent = isGoing ? 'Stop' : 'Cancel'
  }

  /** Escape stops what is going on before it closes anything. */
  #cancel(event: Event): void {
    if (!this.#going) return
    event.preventDefault()
    this.#going.abort()
  }

  #stop(): void {
    if (this.#going) this.#going.abort()
    else this.#element.close()
  }

  #end(): void {
    this.#going?.abort()
    this.#element.remove()
  }
}

/** A field with its name. */
export const field = (name: string, input: HTMLElement, hint = ''): HTMLElement =>
  h(
    'label',
    { class: 'field' },
    h('span', {}, name),
    input,
    hint !== '' && h('span', { class: 'less' }, hint),
  )
