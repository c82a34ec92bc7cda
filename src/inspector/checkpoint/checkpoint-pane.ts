import type { Checkpoint, RunInfo } from '../../index.ts'
import { attempt, threadAt, type Desk, type Place } from '../desk.ts'
import { button, fill, h } from '../dom/h.ts'
import { errorText } from '../text/errors.ts'
import { line } from '../text/shown.ts'
import { bytes, count } from '../text/units.ts'
import { ValueTree } from '../values/value-tree.ts'
import { diffView } from './diff-view.ts'
import { factsView } from './facts-view.ts'
import { Tabs } from './tabs.ts'
import { writesView } from './writes-view.ts'

interface Ears {
  readonly onLoad: (checkpoint: Checkpoint) => void
  readonly onFork: (checkpoint: Checkpoint) => void
  readonly onDelete: (checkpoint: Checkpoint) => void
  readonly onBase: (seq: number | undefined) => void
}

/** One checkpoint: its state, what it changed, what is pending on it, and what can be done with it. */
export class CheckpointPane {
  readonly element: HTMLElement
  readonly #desk: Desk
  readonly #ears: Ears
  readonly #title = h('h2', {}, 'Checkpoint')
  readonly #tools: readonly HTMLButtonElement[]
  readonly #body = h('div', { class: 'pane-body' })
  readonly #tabs = new Tabs()
  #loading = new AbortController()
  #base: number | undefined
  #checkpoint: Checkpoint | undefined
  #tree: ValueTree | undefined
  #runs: readonly RunInfo[] = []

  constructor(desk: Desk, ears: Ears) {
    this.#desk = desk
    this.#ears = ears
    const head = h('header', { class: 'pane-head' }, this.#title)
    const does = (work: (checkpoint: Checkpoint) => void) => (): void => {
      if (this.#checkpoint) work(this.#checkpoint)
    }
    // They stay what they are, so that none is lost under the keyboard.
    this.#tools = [
      button('Load', does(ears.onLoad), { title: 'Tells the app to go on from here' }),
      button('Fork …', does(ears.onFork)),
      button('Delete …', does(ears.onDelete), { class: 'danger' }),
    ]
    const tools = h('div', { class: 'pane-tools' }, ...this.#tools)
    this.element = h(
      'section',
      { class: 'pane checkpoint', 'aria-label': 'Checkpoint' },
      head,
      tools,
      this.#body,
    )
    this.#say('Choose a checkpoint to see its state.')
  }

  clear(text: string): void {
    this.#loading.abort()
    fill(this.#title, 'Checkpoint')
    this.#say(text)
  }

  compareWith(base: number | undefined): void {
    this.#base = base
  }

  showRuns(runs: readonly RunInfo[]): void {
    const isNews = JSON.stringify(runs.map(told)) !== JSON.stringify(this.#runs.map(told))
    this.#runs = runs
    if (isNews) this.#tabs.redraw(WRITES)
  }

  show(place: Place, seq: number): void {
    this.#loading.abort()
    this.#loading = new AbortController()
    const { signal } = this.#loading
    attempt(this.#desk, () => this.#load(place, seq, signal))
  }

  stop(): void {
    this.#loading.abort()
  }

  async #load(place: Place, seq: number, signal: AbortSignal): Promise<void> {
    // What loads at once need not say that it does.
    const slow = setTimeout(() => this.#say('Loading …'), 300)
    const onProgress = (done: number, total: number): void => {
      if (!signal.aborted && this.#body.dataset['is'] === 'empty')
        this.#say(`Loading … ${bytes(done)} of ${bytes(total)}`)
    }
    try {
      const checkpoint = await threadAt(this.#desk, place).load({ seq }, { signal, onProgress })
      clearTimeout(slow)
      if (signal.aborted) return
      if (checkpoint) this.#draw(place, checkpoint, signal)
      else this.clear(`Checkpoint ${seq} was removed.`)
    } catch (error) {
      if (!signal.aborted) this.#say(errorText(error))
    } finally {
      clearTimeout(slow)
    }
  }

  #draw(place: Place, checkpoint: Checkpoint, signal: AbortSignal): void {
    const { seq, node, pendingWrites, state } = checkpoint
    const { onBase } = this.#ears
    fill(
      this.#title,
      `seq ${count(seq)}`,
      node !== undefined && h('span', { class: 'less' }, ' · ', line(node, 60)),
    )
    this.#choose(checkpoint)
    const pending = pendingWrites.length > 0 ? ` (${count(pendingWrites.length)})` : ''
    this.#tabs.show([
      { name: 'State', panel: () => this.#stateTree(state) },
      {
        name: 'Changes',
        panel: () => diffView(this.#desk, { place, checkpoint, base: this.#base, signal, onBase }),
      },
      { name: `Runs & writes${pending}`, panel: () => writesView(pendingWrites, this.#runs) },
      { name: 'Details', panel: () => factsView(place.thread, checkpoint) },
    ])
    delete this.#body.dataset['is']
    fill(this.#body, this.#tabs.element)
  }

  #choose(checkpoint: Checkpoint | undefined): void {
    this.#checkpoint = checkpoint
    for (const tool of this.#tools) tool.disabled = checkpoint === undefined
  }

  /** What was gone into in one checkpoint is seen at once in the next. */
  #stateTree(state: unknown): HTMLElement {
    this.#tree = new ValueTree(state, 'State', this.#tree?.open)
    return this.#tree.element
  }

  #say(text: string | Node): void {
    this.#body.dataset['is'] = 'empty'
    this.#choose(undefined)
    fill(this.#body, h('p', { class: 'empty' }, text))
  }
}

/** Which of the tabs shows runs. */
const WRITES = 2

const told = ({ runId, status, updatedAt }: RunInfo): unknown[] => [runId, status, updatedAt.getTime()]
