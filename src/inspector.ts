import type { Checkpoint, Checkpointer } from './index.ts'
import type { App } from './inspector/app.ts'

/** Which checkpoint was chosen. */
export interface InspectorSelection {
  readonly thread: string
  readonly namespace: string
  readonly seq: number
  readonly id: string
}

/** Which checkpoint the app is to go on from. */
export interface InspectorLoad extends InspectorSelection {
  readonly checkpoint: Checkpoint
}

// On a server there are no elements, and nobody to look at one.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)

/**
 * Shows what a checkpointer holds: `<forkpoint-inspector thread="chat-42">`. What it is made of is loaded when it is
 * first shown.
 *
 * Events: `forkpoint-thread` when a thread was opened, `forkpoint-select` when a checkpoint is looked at, and
 * `forkpoint-load` when the app is to load one.
 */
export class ForkpointInspector extends Base {
  static readonly observedAttributes: readonly string[] = ['thread']
  #checkpointer: Checkpointer | undefined
  #titles: ReadonlyMap<string, string> | undefined
  #app: App | undefined
  /** Which of several beginnings is the last. */
  #turn = 0

  get checkpointer(): Checkpointer | undefined {
    return this.#checkpointer
  }

  set checkpointer(checkpointer: Checkpointer | undefined) {
    if (checkpointer === this.#checkpointer) return
    this.#checkpointer = checkpointer
    this.#stop()
    this.#start()
  }

  /** The thread that is shown. */
  get thread(): string | null {
    return this.getAttribute('thread')
  }

  set thread(id: string | null | undefined) {
    if (id === null || id === undefined) this.removeAttribute('thread')
    else this.setAttribute('thread', id)
  }

  /** What the app calls its threads, by id: shown in place of the ids, and found by the search. */
  get titles(): ReadonlyMap<string, string> | undefined {
    return this.#titles
  }

  set titles(titles: ReadonlyMap<string, string> | undefined) {
    this.#titles = titles
    this.#app?.call(titles)
  }

  connectedCallback(): void {
    this.#takeOver()
    this.#start()
  }

  disconnectedCallback(): void {
    this.#stop()
  }

  attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
    if (before !== now) this.#app?.open(now ?? undefined)
  }

  /** What was set before the element was defined stands in front of what would take it. */
  #takeOver(): void {
    const { checkpointer, thread, titles } = this
    if (Reflect.deleteProperty(this, 'titles') && titles) this.titles = titles
    if (Reflect.deleteProperty(this, 'checkpointer') && checkpointer) this.checkpointer = checkpointer
    if (Reflect.deleteProperty(this, 'thread') && thread !== null) this.thread = thread
  }

  #start(): void {
    if (this.#checkpointer && this.isConnected) void this.#show(this.#checkpointer)
  }

  async #show(checkpointer: Checkpointer): Promise<void> {
    const turn = ++this.#turn
    const { App, styles } = await import('./inspector/app.ts')
    if (turn !== this.#turn) return
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [styles()]
    this.#app = new App(root, checkpointer, {
      thread: (id) => this.#opened(id),
      select: (place, { seq, id }) => this.#tell('forkpoint-select', { ...place, seq, id }),
      load: (place, checkpoint) =>
        this.#tell('forkpoint-load', { ...place, seq: checkpoint.seq, id: checkpoint.id, checkpoint }),
    })
    this.#app.call(this.#titles)
    this.#app.start(this.thread ?? undefined)
  }

  #opened(id: string | undefined): void {
    this.thread = id
    this.#tell('forkpoint-thread', { thread: id })
  }

  #stop(): void {
    this.#turn++
    this.#app?.stop()
    this.#app = undefined
  }

  #tell(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }
}

if (globalThis.customElements && !customElements.get('forkpoint-inspector'))
  customElements.define('forkpoint-inspector', ForkpointInspector)

declare global {
  interface HTMLElementTagNameMap {
    'forkpoint-inspector': ForkpointInspector
  }
  interface GlobalEventHandlersEventMap {
    'forkpoint-thread': CustomEvent<{ readonly thread: string | undefined }>
    'forkpoint-select': CustomEvent<InspectorSelection>
    'forkpoint-load': CustomEvent<InspectorLoad>
  }
}
