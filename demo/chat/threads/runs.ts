/** The runs of this tab: begun, taken over from tabs that are gone, halted. */
import {
  CheckpointerError,
  type Checkpointer,
  type Loop,
  type RunInfo,
  type RunOptions,
  type Thread,
} from 'forkpoint'
import { isOwed, type Chat } from '../agent/chat.ts'
import type { Model } from '../models/model.ts'
import { isKeyGone, settings } from '../models/settings.ts'
import { accountOf, keyGone, resumed, tookOver, type Account } from './accounts.ts'
import { ownRuns } from './own-runs.ts'
import { Store } from './store.ts'

/** What the runs need of the rest. */
export interface RunsDesk {
  readonly checkpointer: Checkpointer
  /** Something has happened to a thread that nobody asked for. */
  readonly tell: (thread: string, account: Account | undefined) => void
}

/** Told when the loop begins; what it gives is told when the model is asked from the beginning of an answer. */
type OnBegin = (loop: Loop<Chat>, model: Model) => (() => void) | void

export class Runs {
  /** The threads that run in this tab. */
  readonly own = new Store<ReadonlySet<string>>(new Set())
  readonly #halts = new Map<string, AbortController>()
  /** When the last one of a thread came to its end here. */
  readonly #ended = new Map<string, number>()
  /** The threads that lack the model's key, with what is to be gone on with once it is here. */
  readonly #keyless = new Map<string, RunInfo | undefined>()
  readonly #desk: RunsDesk

  constructor(desk: RunsDesk) {
    this.#desk = desk
    settings.subscribe(() => this.#goOn())
  }

  /**
   * Whether it goes on in another tab. What is seen of one that has just ended here may be from before; so is what is
   * seen of one that ran here when the page was reloaded, and that nobody has taken up since.
   */
  isElsewhere({ thread, runId, status, updatedAt }: RunInfo): boolean {
    if (status !== 'running' || this.own.value.has(thread)) return false
    const since = Math.max(this.#ended.get(thread) ?? 0, ownRuns.has(runId) ? performance.timeOrigin : 0)
    return updatedAt.getTime() > since
  }

  /** Goes on with what tabs have left that are gone. */
  followOrphans(): void {
    this.#desk.checkpointer.onOrphan((run) => this.#adopt(run))
  }

  /** A new run, for something that the user said or wants anew. Whether it has begun: false when not even that could be stored. */
  start(thread: string, options: Pick<RunOptions<Chat>, 'runId' | 'from' | 'edit'>): Promise<boolean> {
    return new Promise((resolve) => {
      void this.#run(thread, options, () => resolve(true)).then(() => resolve(false))
    })
  }

  /** Once more what has failed, or what was not saved for want of room. */
  async retry({ thread, runId }: RunInfo): Promise<void> {
    await this.#run(thread, { runId, retry: true, wait: 2_000 })
  }

  async takeOver({ thread, runId }: RunInfo): Promise<void> {
    this.#desk.tell(thread, tookOver)
    await this.#run(thread, { runId, steal: true })
  }

  /** The user has had enough: what there is, is kept. Questions are answered with no. */
  async stop({ thread, questions = [] }: RunInfo): Promise<void> {
    this.#halts.get(thread)?.abort()
    for (const { key } of questions) await this.#thread(thread).answer(false, { key })
  }

  answer({ thread }: RunInfo, key: string, value: unknown): Promise<void> {
    return this.#thread(thread).answer(value, { key })
  }

  /** Says how it goes on as soon as that is known. */
  async #adopt(run: RunInfo): Promise<void> {
    const { thread, runId } = run
    if (isKeyGone(settings.value)) return this.#lackKey(thread, run)
    const isHere = ownRuns.has(runId)
    await this.#run(thread, { runId, wait: false }, ({ state }, { canContinue }) => {
      let isUnknown = isOwed(state) && !canContinue
      this.#desk.tell(thread, resumed({ isHere, ...(isUnknown ? {} : { how: 'goes on' }) }))
      return () => {
        if (isUnknown) this.#desk.tell(thread, resumed({ isHere, how: 'asks again' }))
        isUnknown = false
      }
    })
  }

  #lackKey(thread: string, run?: RunInfo): void {
    this.#keyless.set(thread, run)
    this.#desk.tell(thread, keyGone)
  }

  #goOn(): void {
    if (isKeyGone(settings.value)) return
    const waiting = [...this.#keyless]
    this.#keyless.clear()
    for (const [thread, run] of waiting) {
      this.#desk.tell(thread, undefined)
      if (run) void this.#adopt(run)
    }
  }

  async #run(id: string, options: RunOptions<Chat>, onBegin?: OnBegin): Promise<void> {
    if (this.#halts.has(id)) return
    if (isKeyGone(settings.value)) return this.#lackKey(id)
    let hasBegun = false
    const halt = new AbortController()
    this.#halts.set(id, halt)
    this.#show()
    try {
      const { agent, chosenModel, tools } = await import('../agent/ready.ts')
      // The one that is chosen by now, also for a run that was begun with another.
      const model = await chosenModel()
      if (options.runId !== undefined) ownRuns.add(options.runId)
      await this.#thread(id).run(options, (loop) => {
        hasBegun = true
        const onAsk = onBegin?.(loop, model)
        return agent(loop, { model, tools, halt: halt.signal, ...(onAsk ? { onAsk } : {}) })
      })
      this.#ended.set(id, Date.now())
    } catch (error) {
      if (!CheckpointerError.is(error)) this.#ended.set(id, Date.now())
      // The run itself says why it has failed, wherever it is seen. And another tab may have been first to adopt it.
      const isTold = hasBegun ? !CheckpointerError.is(error) : options.wait === false && isRace(error)
      if (!isTold) this.#desk.tell(id, accountOf(error))
    } finally {
      this.#halts.delete(id)
      this.#show()
    }
  }

  #thread(id: string): Thread<Chat> {
    return this.#desk.checkpointer.thread<Chat>(id)
  }

  #show(): void {
    this.own.set(new Set(this.#halts.keys()))
  }
}

const isRace = (error: unknown): boolean => CheckpointerError.is(error, 'BLOCKED')
