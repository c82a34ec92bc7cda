import type { Checkpoint, Checkpointer, CheckpointerEvent, RunInfo, ThreadSummary } from '../index.ts'
import { askCheck } from './acts/check-dialog.ts'
import { askDeleteCheckpoint } from './acts/delete-dialog.ts'
import { askExport } from './acts/export-dialog.ts'
import { askFork } from './acts/fork-dialog.ts'
import { askImport } from './acts/import-dialog.ts'
import { CheckpointPane } from './checkpoint/checkpoint-pane.ts'
import { type Desk, type Place } from './desk.ts'
import { button } from './dom/h.ts'
import { Frame } from './frame.ts'
import { History } from './graph/history.ts'
import { HistoryPane } from './graph/history-pane.ts'
import { soon } from './soon.ts'
import { Status } from './status.ts'
import { StorageBar } from './storage-bar.ts'
import { ThreadTools } from './thread-tools.ts'
import { ThreadList } from './threads/thread-list.ts'
import { ThreadsPane } from './threads/threads-pane.ts'
import { Titles } from './text/titles.ts'

export { styles } from './style/sheet.ts'

/** What the element is told. */
export interface Tell {
  readonly thread: (id: string | undefined) => void
  readonly select: (place: Place, which: { readonly seq: number; readonly id: string }) => void
  readonly load: (place: Place, checkpoint: Checkpoint) => void
}

/** The parts of the inspector, and what leads from one to the other. */
export class App {
  readonly #desk: Desk
  readonly #tell: Tell
  readonly #end = new AbortController()
  readonly #frame: Frame
  readonly #threads: ThreadList
  readonly #threadsPane: ThreadsPane
  readonly #historyPane: HistoryPane
  readonly #checkpointPane: CheckpointPane
  readonly #tools: ThreadTools
  readonly #refresh: { readonly threads: () => void; readonly runs: () => void; readonly usage: () => void }
  #history: History | undefined
  #refreshHistory: () => void = () => {}
  #leaveHistory = new AbortController()
  /** What somebody chose; else the head is shown, whichever it is. */
  #chosen: number | undefined
  #shown: number | undefined
  #base: number | undefined

  constructor(root: ShadowRoot, checkpointer: Checkpointer, tell: Tell) {
    const status = new Status()
    const { signal } = this.#end
    const frame = new Frame(status.element)
    this.#tell = tell
    this.#frame = frame
    this.#desk = {
      checkpointer,
      titles: new Titles(),
      signal,
      root: frame.element,
      say: (text) => status.say(text),
      fail: (error) => status.fail(error),
    }
    const desk = this.#desk
    this.#threads = new ThreadList(desk, () => this.#showThreads())
    this.#threadsPane = new ThreadsPane(desk.titles, this.#threads, (id) => this.open(id))
    this.#tools = new ThreadTools(desk, {
      onNamespace: (namespace) => this.#enter(namespace),
      forksOf: (thread) => this.#forksOf(thread),
    })
    this.#historyPane = new HistoryPane(
      desk.titles,
      {
        onCheckpoint: (seq) => this.#choose(seq),
        onBase: (seq) => this.#compareWith(seq),
        onThread: (id) => this.open(id),
      },
      this.#tools,
    )
    this.#checkpointPane = new CheckpointPane(desk, {
      onLoad: (checkpoint) => this.#load(checkpoint),
      onFork: (checkpoint) => this.#fork(checkpoint),
      onDelete: (checkpoint) => this.#history && askDeleteCheckpoint(desk, this.#history.place, checkpoint),
      onBase: (seq) => this.#compareWith(seq),
    })
    const bar = new StorageBar(desk, ({ perThread }) => this.#threadsPane.showUsage(perThread))
    frame.show(bar.element, [
      bar.kept,
      button('Check …', () => askCheck(desk)),
      button('Import …', () => askImport(desk)),
      button('Export all …', () => askExport(desk, undefined)),
    ])
    frame.panes(this.#threadsPane.element, this.#historyPane.element, this.#checkpointPane.element)
    root.append(frame.element)
    const onError = desk.fail
    this.#refresh = {
      threads: soon(() => this.#threads.refresh(), 100, { signal, onError }),
      runs: soon(() => this.#threads.refreshRuns(), 500, { signal, onError }),
      // It reads all there is.
      usage: soon(() => bar.refresh(), 2_000, { signal, onError }),
    }
  }

  start(thread: string | undefined): void {
    const { checkpointer, signal } = this.#desk
    const leave = checkpointer.subscribe((event) => this.#hear(event))
    signal.addEventListener('abort', leave, { once: true })
    // What happened while the browser kept this page asleep was not heard.
    addEventListener('pageshow', () => this.#refreshAll(), { signal })
    this.#refreshAll()
    if (thread !== undefined) this.open(thread)
  }

  stop(): void {
    this.#end.abort()
    this.#leaveHistory.abort()
    for (const pane of [this.#threadsPane, this.#historyPane, this.#checkpointPane]) pane.stop()
    this.#frame.element.remove()
  }

  /** What the app calls its threads from now on. */
  call(titles: ReadonlyMap<string, string> = new Map()): void {
    this.#desk.titles.set(titles)
    this.#showThreads()
  }

  open(id: string | undefined, namespace = ''): void {
    const { thread, namespace: current } = this.#history?.place ?? {}
    if (id === thread && namespace === (current ?? '')) return this.#frame.go('history')
    this.#leaveHistory.abort()
    this.#leaveHistory = new AbortController()
    this.#chosen = this.#shown = this.#base = undefined
    this.#history = undefined
    this.#checkpointPane.compareWith(undefined)
    this.#checkpointPane.clear('Choose a checkpoint to see its state.')
    this.#threadsPane.select(id)
    this.#tools.show(undefined)
    if (id === undefined) return this.#tell.thread(undefined)
    const { signal } = this.#leaveHistory
    const history = new History(this.#desk, { thread: id, namespace }, signal, () => this.#showHistory())
    this.#history = history
    this.#refreshHistory = soon(() => history.refresh(), 250, { signal, onError: this.#desk.fail })
    this.#tools.show(history.place)
    this.#showHistory()
    this.#refreshHistory()
    this.#frame.go('history')
    this.#tell.thread(id)
  }

  #enter(namespace: string): void {
    if (this.#history) this.open(this.#history.place.thread, namespace)
  }

  #refreshAll(): void {
    this.#refresh.threads()
    this.#refresh.runs()
    this.#refresh.usage()
    this.#refreshHistory()
  }

  #hear(event: CheckpointerEvent): void {
    if (this.#threads.hear(event)) this.#refresh.threads()
    this.#refresh.usage()
    if (event.type === 'run' || event.type === 'destroyed' || event.type === 'deleted') this.#refresh.runs()
    const history = this.#history
    if (!history) return
    if (history.hear(event)) {
      // What was saved is shown when it was read.
      if (event.type !== 'saved') this.#showHistory()
      this.#refreshHistory()
    }
    const { thread, namespace } = history.place
    if (event.type !== 'writes' || event.thread !== thread || event.namespace !== namespace) return
    if (event.seq === this.#shown) this.#checkpointPane.show(history.place, event.seq)
  }

  #showThreads(): void {
    this.#threadsPane.show()
    this.#showHistory()
  }

  #showHistory(): void {
    const history = this.#history
    if (!history) return
    if (this.#chosen !== undefined && history.isWhole && !history.find(this.#chosen)) this.#chosen = undefined
    const seq = this.#chosen ?? history.head?.seq
    this.#historyPane.show(history, this.#threads.threads, seq)
    this.#historyPane.showRuns(this.#runsHere())
    this.#checkpointPane.showRuns(this.#runsHere())
    this.#showCheckpoint(seq)
  }

  #showCheckpoint(seq: number | undefined): void {
    const history = this.#history
    if (!history || seq === this.#shown) return
    this.#shown = seq
    this.#historyPane.select(seq, this.#base)
    const info = history.find(seq)
    if (!info) return this.#checkpointPane.clear('There is no checkpoint.')
    this.#checkpointPane.show(history.place, info.seq)
    this.#tell.select(history.place, info)
  }

  #choose(seq: number): void {
    this.#chosen = seq === this.#history?.head?.seq ? undefined : seq
    this.#showCheckpoint(seq)
    this.#frame.go('checkpoint')
  }

  #compareWith(seq: number | undefined): void {
    this.#base = seq
    this.#checkpointPane.compareWith(seq)
    this.#historyPane.select(this.#shown, seq)
    if (this.#history && this.#shown !== undefined)
      this.#checkpointPane.show(this.#history.place, this.#shown)
  }

  #load(checkpoint: Checkpoint): void {
    if (!this.#history) return
    this.#tell.load(this.#history.place, checkpoint)
    this.#desk.say(`Told the app to load seq ${checkpoint.seq}.`)
  }

  #fork(checkpoint: Checkpoint): void {
    const place = this.#history?.place
    if (place) askFork(this.#desk, place, checkpoint, (id) => this.open(id, place.namespace))
  }

  #forksOf(thread: string): readonly ThreadSummary[] {
    return this.#threads.threads.filter(({ forkOf }) => forkOf?.thread === thread)
  }

  #runsHere(): readonly RunInfo[] {
    const { thread, namespace } = this.#history?.place ?? {}
    return thread === undefined
      ? []
      : this.#threads.runsOf(thread).filter((run) => run.namespace === namespace)
  }
}
