import type { Checkpoint, CheckpointerEvent } from '../../../checkpoint.ts'
import type { HeadReply, Place, StoredRun, StoredWrite } from '../../../operations/host.ts'
import { CHUNKS, readJournal, type JournalStep } from '../journal/entries.ts'
import { askingRun, opened, type RunReader } from '../seen/run-info.ts'
import { Bell } from './bell.ts'
import { seqsBetween } from './between.ts'
import type { WatchEvent } from './events.ts'
import { StepsSeen } from './steps-seen.ts'

/** What a thread is followed by. */
export interface Followed<State> extends RunReader {
  readonly place: Place
  readonly load: () => Promise<Checkpoint<State> | undefined>
}

/** So many checkpoints are asked for their steps beside each other. */
const AT_ONCE = 16

interface Task {
  readonly seq: number
  readonly taskId: string
}

/**
 * Follows one thread by news that only say where to look: while nobody takes what was found, news come together, one
 * of each step. What is read is compared with what was told, so nothing is told twice, whatever was heard.
 */
export class Watch<State> {
  readonly bell = new Bell()
  readonly #followed: Followed<State>
  readonly #seen = new StepsSeen()
  readonly #tasks = new Map<string, Task>()
  /** All steps are to be looked at, as news of some may be missing. */
  #isUnsure = false
  #head: HeadReply['head']
  /** What was there before the first look is no news. */
  #hasLooked = false
  #run: StoredRun | undefined
  /** Everything was destroyed: to look would make the database anew. */
  #isGone = false

  constructor(followed: Followed<State>) {
    this.#followed = followed
  }

  hear(event: CheckpointerEvent): void {
    const { thread, namespace } = this.#followed.place
    this.#isGone = event.type === 'destroyed'
    if (event.type === 'destroyed' || event.thread !== thread) return
    if (event.type !== 'deleted' && event.namespace !== namespace) return
    if (event.type === 'writes' && !this.#isNews(event)) return
    if (event.type === 'writes') this.#tasks.set(JSON.stringify([event.seq, event.taskId]), event)
    this.bell.ring()
  }

  /** What is ahead of the head that was told is read with the head that comes. */
  #isNews({ seq, taskId }: Task): boolean {
    const { seq: head = 0 } = this.#head ?? {}
    return seq >= head || this.#seen.isOpen(seq, taskId)
  }

  /** Nobody says when there is something: it is to be looked for. */
  doubt(): void {
    this.#isUnsure = this.#run?.status === 'running' || this.#run?.status === 'waiting'
    this.bell.ring()
  }

  /** What is new since the last time. */
  async *news(): AsyncGenerator<WatchEvent<State>> {
    if (this.#isGone) return
    const { host, place } = this.#followed
    const { head, run } = await host.head(place)
    const isChanged =
      run?.id !== this.#run?.id || run?.turn !== this.#run?.turn || run?.status !== this.#run?.status
    // At an end, too: of the steps before it, news may still be on their way.
    const isUnsure = this.#isUnsure || isChanged
    this.#isUnsure = false
    this.#run = run
    if (isChanged && run?.status === 'running') yield* this.#tellRun(run)
    yield* this.#tellTasks()
    if (head?.id !== this.#head?.id || head?.seq !== this.#head?.seq) yield* this.#tellHead()
    else if (head && isUnsure) yield* this.#tellBetween(head.seq, head.seq + 1)
    this.#hasLooked = true
    if (isChanged && run && run.status !== 'running') yield* this.#tellRun(run)
  }

  async *#tellRun(run: StoredRun): AsyncGenerator<WatchEvent<State>> {
    yield { type: 'run', run: await askingRun(this.#followed, this.#followed.place, run) }
  }

  async *#tellTasks(): AsyncGenerator<WatchEvent<State>> {
    const { host, place } = this.#followed
    const tasks = [...this.#tasks.values()]
    this.#tasks.clear()
    for (const task of tasks) {
      const { seq, taskId } = task
      if (!this.#isNews(task) || seq > (this.#head?.seq ?? 0)) continue
      const from = this.#seen.nextIndex(seq, taskId)
      const writes = await host.readWrites({ ...place, checkpoint: seq, taskId, from, before: CHUNKS.index })
      yield* this.#told(seq, this.#stepsIn(seq, writes))
    }
  }

  async *#tellHead(): AsyncGenerator<WatchEvent<State>> {
    const checkpoint = await this.#followed.load()
    const { seq: before = 0 } = this.#head ?? {}
    const { seq = 0 } = checkpoint ?? {}
    if (seq < before) this.#seen.clear()
    else if (this.#hasLooked) yield* this.#tellBetween(Math.max(1, before), seq)
    this.#seen.leave(before)
    this.#head = checkpoint && { seq, id: checkpoint.id }
    if (!checkpoint) return
    yield { type: 'state', checkpoint }
    if (this.#run) yield* this.#told(seq, readJournal(checkpoint.pendingWrites, this.#run.id).steps)
  }

  /**
   * The steps of the checkpoints from one to another, and of those before that are not known to have ended: the last
   * outcomes are stored beside the checkpoint that follows on them, and may come after it.
   */
  async *#tellBetween(from: number, to: number): AsyncGenerator<WatchEvent<State>> {
    if (!this.#run) return
    yield* this.#tellSteps([...this.#seen.openBefore(from)])
    const { host, place } = this.#followed
    for await (const seqs of seqsBetween(host, place, from, to)) yield* this.#tellSteps(seqs)
  }

  /** All steps since each of these checkpoints, whatever was heard of them. */
  async *#tellSteps(seqs: readonly number[]): AsyncGenerator<WatchEvent<State>> {
    const { host, place } = this.#followed
    for (let i = 0; i < seqs.length; i += AT_ONCE) {
      const some = seqs.slice(i, i + AT_ONCE)
      const writes = await Promise.all(some.map((seq) => host.readWrites({ ...place, checkpoint: seq })))
      for (const [n, seq] of some.entries()) yield* this.#told(seq, this.#stepsIn(seq, writes[n] ?? []))
    }
  }

  #stepsIn(seq: number, stored: readonly StoredWrite[]): readonly JournalStep[] {
    if (!this.#run) return []
    const isNew = ({ channel, index, taskId }: StoredWrite): boolean =>
      channel !== CHUNKS.channel || index >= this.#seen.nextIndex(seq, taskId)
    return readJournal(opened(this.#followed.codec, stored.filter(isNew)), this.#run.id).steps
  }

  *#told(seq: number, steps: readonly JournalStep[]): Generator<WatchEvent<State>> {
    for (const step of steps) yield* this.#seen.news(seq, step)
  }
}
