import { releaseProxy, wrap, type Remote } from 'comlink'
import { CheckpointerError, closed } from '../errors.ts'
import { whenKept } from '../platform/kept-page.ts'
import { unref } from '../platform/unref.ts'
import { serving, type WorkerLike } from './start.ts'
import { fromWire, type WireApi, type WireWarning } from './wire.ts'

/** How long a worker is waited for, in milliseconds. */
export interface Patience {
  /** For the answer to the first call. */
  readonly hello: number
  /** How long a call may go unanswered before the worker is asked whether it is still there, and for that answer. */
  readonly answer: number
  /** For an answer that may be waiting already: a page that was frozen sees its timers before its messages. */
  readonly overdue: number
}

const PATIENCE: Patience = { hello: 10_000, answer: 4_500, overdue: 1_000 }

/** What is heard at this end, and how long it is listened for. */
export interface Ear {
  readonly onWarning: (warning: CheckpointerError) => void
  /**
   * The worker is lost; told once, when every call that was out is rejected. One that has failed may still be at
   * work: `gone` resolves when it has ended that, or has had the time to. `isFault` unless it was ended from here.
   */
  readonly onLost?: (why: CheckpointerError, gone: Promise<unknown>, isFault: boolean) => void
  readonly patience?: Patience | undefined
  /** This end asks nothing any more. */
  readonly onHungUp?: () => void
}

/**
 * How long a worker that has closed its database lives on, and one that has failed is given to close it. WebKit takes
 * a while to let go of a connection, and was seen to keep one for ever when its worker ended right after, or in the
 * midst of a transaction: then nobody else can write, nor delete the database.
 */
export const GRACE = 1_000

/** Calls over one port, each of which ends: comlink by itself waits for ever on a worker that has died. */
export class Line {
  readonly #worker: WorkerLike
  readonly #remote: Remote<WireApi>
  readonly #pending = new Set<(error: CheckpointerError) => void>()
  #lost: CheckpointerError | undefined
  #hasAnswered = false
  #hungUp = false
  #watch: ReturnType<typeof setTimeout> | undefined

  readonly #ear: Ear
  readonly #patience: Patience
  readonly #unlisten: () => void

  constructor(worker: WorkerLike, ear: Ear) {
    this.#worker = worker
    serving.add(worker)
    this.#ear = ear
    this.#patience = ear.patience ?? PATIENCE
    worker.addEventListener('message', this.#onMessage)
    worker.addEventListener('error', this.#onError)
    worker.addEventListener('messageerror', this.#onError)
    this.#remote = wrap<WireApi>(worker)
    // What is out stays so, that nobody starts another worker in a page that goes.
    this.#unlisten = whenKept({
      goes: () => worker.terminate?.(),
      isBack: () => {
        if (worker.terminate) this.#lose('It was ended when its page was left.', { isFault: false })
      },
    })
  }

  readonly #onMessage = (event: Event | object): void => {
    const { data } = event as { data?: Partial<WireWarning> | null }
    if (data?.forkpointWarning) this.#ear.onWarning(fromWire(data.forkpointWarning))
  }

  readonly #onError = (event: Event | object): void => {
    const why = (event as Partial<ErrorEvent>).message
    this.#lose(`The worker failed${why ? `: ${why}` : ', or its script could not be loaded'}.`, {
      mayLive: this.#hasAnswered,
    })
  }

  /** The first question, which nobody else would answer. */
  hello(): ReturnType<WireApi['hello']> {
    return this.ask((remote) => remote.hello(), this.#patience.hello)
  }

  async ask<T>(call: (remote: Remote<WireApi>) => Promise<T>, timeout?: number): Promise<T> {
    if (this.#lost) throw this.#lost
    let reject: (error: CheckpointerError) => void = () => {}
    const lost = new Promise<never>((_, no) => {
      reject = no
    })
    this.#pending.add(reject)
    if (timeout === undefined) this.#listen()
    let timer: ReturnType<typeof setTimeout> | undefined
    if (timeout !== undefined) {
      const lose = (): void => this.#lose(`The worker did not answer in ${timeout / 1000} s.`)
      timer = setTimeout(() => {
        timer = setTimeout(lose, this.#patience.overdue)
      }, timeout)
    }
    try {
      const answer = await Promise.race([call(this.#remote), lost])
      this.#hasAnswered = true
      return answer
    } finally {
      clearTimeout(timer)
      this.#pending.delete(reject)
      if (this.#pending.size === 0) {
        clearTimeout(this.#watch)
        this.#watch = undefined
      }
    }
  }

  /** While calls are out: from time to time a question that a living worker answers at once. */
  #listen(): void {
    const { answer, overdue } = this.#patience
    this.#watch ??= setTimeout(() => {
      const lose = (): void => this.#lose('The worker no longer answers.')
      this.#watch = setTimeout(() => {
        this.#watch = setTimeout(lose, overdue)
      }, answer)
      const heard = (): void => {
        clearTimeout(this.#watch)
        this.#watch = undefined
        if (this.#pending.size > 0) this.#listen()
      }
      // A failed question is no answer: the timer decides.
      this.#remote.hello().then(heard, () => {})
    }, answer)
  }

  #lose(message: string, { mayLive = false, isFault = true } = {}): void {
    if (this.#lost) return
    const lost = new CheckpointerError('WORKER_LOST', message)
    this.#lost = lost
    for (const reject of this.#pending) reject(lost)
    this.#ear.onLost?.(lost, mayLive ? this.#part() : Promise.resolve(), isFault)
    if (!mayLive) this.hangUp()
  }

  /** Has it end what it was asked for, and nothing after that. */
  async #part(): Promise<void> {
    const closed = this.#remote.call('close', {}).catch(() => undefined)
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, GRACE))])
    this.hangUp(GRACE)
  }

  hangUp(grace = 0): void {
    if (this.#hungUp) return
    this.#hungUp = true
    serving.delete(this.#worker)
    this.#lost ??= closed()
    clearTimeout(this.#watch)
    this.#unlisten()
    this.#worker.removeEventListener('message', this.#onMessage)
    this.#worker.removeEventListener('error', this.#onError)
    this.#worker.removeEventListener('messageerror', this.#onError)
    this.#remote[releaseProxy]()
    this.#ear.onHungUp?.()
    const end = setTimeout(() => letGo(this.#worker), grace)
    unref(end)
  }
}

/** A worker ends; a port is closed, so that the other end can be collected. */
function letGo(worker: WorkerLike): void {
  if (worker.terminate) worker.terminate()
  else if (typeof MessagePort !== 'undefined' && worker instanceof MessagePort) worker.close()
}
