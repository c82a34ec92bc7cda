/** What the page does: which thread and checkpoint are open, and what the buttons lead to. */
import type { Checkpointer, CheckpointerEvent, CheckpointInfo, ThreadSummary } from 'forkpoint'
import type { AgentThread } from './agent.ts'
import { hashOf, nameInHash, newName } from './names.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { Runs } from './runs.ts'
import { removeThread, forkThread, pruneThread } from './thread-actions.ts'
import { dismiss } from './view/confirm.ts'
import { onActions, showControls, type Doing } from './view/controls.ts'
import { revealDetail, showDetail, showNoDetail } from './view/detail.ts'
import { onCheckpoint, showHistory } from './view/history.ts'
import { fail, say } from './view/status.ts'
import { onThread, showThreads } from './view/threads.ts'

export class App {
  readonly #checkpointer: Checkpointer
  readonly #runs: Runs
  #thread: AgentThread
  /** The checkpoint that somebody chose; else the newest is shown, whichever it is. */
  #chosen: number | undefined
  #head: number | undefined

  constructor(checkpointer: Checkpointer, first: string) {
    this.#checkpointer = checkpointer
    this.#thread = checkpointer.thread(first)
    this.#runs = new Runs({
      onChange: () => this.#refresh(),
      onResume: ({ thread, seq, step = seq }, isOwn) =>
        say(
          isOwn
            ? `Resumed at step ${step} after a reload.`
            : `Took over ${thread} at step ${step}: the tab that ran it is gone.`,
        ),
    })
  }

  start(): void {
    onActions({
      run: () => attempt(() => this.#run()),
      stop: () => this.#runs.stop(this.#thread.id),
      new: () => this.#go(newName(), 'A new thread. It is stored with its first step.'),
      prune: () => attempt(() => pruneThread(this.#thread)),
      delete: () => attempt(() => this.#delete()),
    })
    onThread((id) => this.#go(id))
    onCheckpoint((seq) => this.#choose(seq))
    this.#checkpointer.subscribe((event) => this.#hear(event))
    addEventListener('hashchange', () => attempt(() => this.#open(nameInHash() ?? newName())))
    // What happened while the browser kept this page asleep was not heard.
    addEventListener('pageshow', () => this.#refresh())
    attempt(() => this.#open(nameInHash() ?? this.#thread.id))
  }

  readonly #refreshOnce = oneAtATime(() => this.#show())
  #refresh(): void {
    attempt(this.#refreshOnce)
  }

  #go(id: string, news?: string): void {
    if (news !== undefined) say(news)
    location.hash = hashOf(id)
  }

  async #open(id: string): Promise<void> {
    const thread = this.#handle(id)
    if (thread.id !== this.#thread.id) dismiss()
    this.#thread = thread
    this.#chosen = undefined
    document.title = `${thread.id} – Forkpoint demo`
    history.replaceState(null, '', hashOf(thread.id))
    await this.#refreshOnce()
    this.#tell(await this.#runs.resume(thread), thread.id)
  }

  /** An address may say anything; with one that can name no thread, the current one stays. */
  #handle(id: string): AgentThread {
    try {
      return this.#checkpointer.thread(id)
    } catch (error) {
      fail(error)
      return this.#thread
    }
  }

  async #run(): Promise<void> {
    const { id } = this.#thread
    this.#chosen = undefined
    say(`The agent runs in ${id}.`)
    this.#tell(await this.#runs.start(this.#thread), id)
  }

  #tell(outcome: Awaited<ReturnType<Runs['start']>>, id: string): void {
    if (outcome === 'finished') say(`The agent has finished in ${id}.`)
    if (outcome === 'stopped') say(`Stopped ${id}. Run goes on from the last checkpoint.`)
    if (outcome !== 'elsewhere') return
    say(`${id} runs in another tab; its steps appear here too.`)
    this.#watch(id)
  }

  async #delete(): Promise<void> {
    const { id } = this.#thread
    this.#runs.stop(id)
    if (!(await removeThread(this.#thread))) return
    const [latest] = await this.#threads(1)
    this.#go(latest?.id ?? newName())
  }

  #choose(seq: number): void {
    this.#chosen = seq === this.#head ? undefined : seq
    attempt(() => this.#refreshOnce().then(revealDetail))
  }

  #hear(event: CheckpointerEvent): void {
    const { id } = this.#thread
    if (event.type === 'deleted' && event.thread === id) this.#runs.stop(id)
    if (event.type === 'saved' && event.thread === id) this.#watch(id)
    this.#refresh()
  }

  async #show(): Promise<void> {
    const thread = this.#thread
    const threads = await this.#threads()
    const checkpoints: CheckpointInfo[] = []
    for await (const info of thread.history()) checkpoints.push(info)
    const doing = this.#doing(thread.id, checkpoints[0])
    if (thread !== this.#thread) return
    this.#head = checkpoints[0]?.seq
    if (!checkpoints.some(({ seq }) => seq === this.#chosen)) this.#chosen = undefined
    const selected = this.#chosen ?? this.#head
    showThreads(threads, thread.id)
    showHistory({ checkpoints, selected, forkOf: threads.find(({ id }) => id === thread.id)?.forkOf })
    showControls(doing)
    await this.#showSelected(thread, selected)
  }

  async #showSelected(thread: AgentThread, selected: number | undefined): Promise<void> {
    const checkpoint = selected === undefined ? undefined : await thread.load(selected)
    if (thread !== this.#thread) return
    if (!checkpoint) return showNoDetail('There is no state yet.')
    showDetail(
      checkpoint,
      () => (this.#chosen = checkpoint.seq),
      (at, text) => forkThread(thread, at, text).then((as) => this.#go(as), fail),
    )
  }

  #doing(id: string, head: CheckpointInfo | undefined): Doing {
    if (this.#runs.isGoing(id)) return { is: 'running', step: this.#runs.stepOf(id) ?? head?.step }
    if (this.#runs.isElsewhere(id)) return { is: 'running elsewhere' }
    const before = head?.next?.[0]
    if (before !== undefined) return { is: 'paused', before }
    return { is: head ? 'finished' : 'new' }
  }

  #watch(id: string): void {
    attempt(() => this.#runs.watch(this.#checkpointer.thread(id)))
  }

  async #threads(limit = 100): Promise<ThreadSummary[]> {
    const threads: ThreadSummary[] = []
    for await (const thread of this.#checkpointer.threads({ limit })) threads.push(thread)
    return threads
  }
}

/** What fails is shown; nothing is left to the console. */
function attempt(work: () => Promise<void>): void {
  void work().catch(fail)
}
