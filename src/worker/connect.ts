import { releaseProxy, transfer, wrap, type Endpoint, type Remote } from 'comlink'
import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import { READS, VERBS, type Verb } from '../operations/verbs.ts'
import {
  buffersOf,
  fromWire,
  PROTOCOL,
  type OpenMessage,
  type WireApi,
  type WireWarning,
  type WireReply,
} from './wire.ts'

/** What stands at the other end: a worker that we started, or what the caller gave. */
export type WorkerLike = Endpoint & { terminate?: () => void }

/**
 * How long a worker that has closed its database lives on. WebKit takes a while to let go of a connection, and
 * was seen to keep one for ever, blocking whoever deletes the database, when its worker ended right after.
 */
const GRACE = 1_000
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

/** Starts the worker that comes with the package. Bundlers look for exactly this expression. */
export function startWorker(): WorkerLike {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'forkpoint' })
}

/** A host at the other end of a port. Rejects with `WORKER_LOST` when nobody answers there. */
export async function connect(
  worker: WorkerLike,
  message: OpenMessage,
  onWarning: (warning: CheckpointerError) => void,
  patience: Patience = PATIENCE,
): Promise<Host> {
  const line = new Line(worker, onWarning, patience)
  try {
    const { protocol } = await line.ask((remote) => remote.hello(), patience.hello)
    if (protocol !== PROTOCOL)
      throw new CheckpointerError(
        'UNSUPPORTED',
        `The worker speaks version ${protocol} of the wire, this page ${PROTOCOL}. Reload the page.`,
      )
    valueOf(await line.ask((remote) => remote.open(message)))
  } catch (error) {
    line.hangUp()
    if (CheckpointerError.is(error)) throw error
    throw new CheckpointerError('WORKER_LOST', 'What answers there is not the worker of this package.', {
      cause: error,
    })
  }
  const call =
    (verb: Verb) =>
    async (request: unknown = {}): Promise<unknown> => {
      let sent = false
      try {
        const reply = await line.ask((remote) => {
          sent = true
          return remote.call(verb, transfer(request, buffersOf(request)))
        })
        return valueOf(reply)
      } catch (error) {
        if (!CheckpointerError.is(error))
          throw new CheckpointerError('FAILED', `The worker could not be asked: ${String(error)}`, {
            cause: error,
          })
        if (error.code !== 'WORKER_LOST') throw error
        const outcome = !sent || READS.includes(verb) ? 'none' : 'unknown'
        throw new CheckpointerError(
          'WORKER_LOST',
          `${error.message} ${outcome === 'unknown' ? 'The change may have been made or not.' : ''}`.trim(),
          { outcome, cause: error },
        )
      }
    }
  const host = Object.fromEntries(VERBS.map((verb) => [verb, call(verb)])) as unknown as Host
  const ending = (end: () => Promise<void>) => () => end().finally(() => line.hangUp(GRACE))
  // A worker that has died has let go of everything.
  const close = (): Promise<void> =>
    host.close().catch((error: unknown) => {
      if (!CheckpointerError.is(error, 'WORKER_LOST')) throw error
    })
  return { ...host, close: ending(close), destroy: ending(host.destroy) }
}

function valueOf(reply: WireReply): unknown {
  if (reply.error) throw fromWire(reply.error)
  return reply.value
}

/** Calls over one port, each of which ends: comlink by itself waits for ever on a worker that has died. */
class Line {
  readonly #worker: WorkerLike
  readonly #remote: Remote<WireApi>
  readonly #pending = new Set<(error: CheckpointerError) => void>()
  #lost: CheckpointerError | undefined
  #hungUp = false
  #watch: ReturnType<typeof setTimeout> | undefined

  readonly #onWarning: (warning: CheckpointerError) => void
  readonly #patience: Patience

  constructor(worker: WorkerLike, onWarning: (warning: CheckpointerError) => void, patience: Patience) {
    this.#worker = worker
    this.#onWarning = onWarning
    this.#patience = patience
    worker.addEventListener('message', this.#onMessage)
    worker.addEventListener('error', this.#onError)
    worker.addEventListener('messageerror', this.#onError)
    this.#remote = wrap<WireApi>(worker)
  }

  readonly #onMessage = (event: Event | object): void => {
    const { data } = event as { data?: Partial<WireWarning> | null }
    if (data?.forkpointWarning) this.#onWarning(fromWire(data.forkpointWarning))
  }

  readonly #onError = (event: Event | object): void => {
    const why = (event as Partial<ErrorEvent>).message
    this.#lose(`The worker failed${why ? `: ${why}` : ', or its script could not be loaded'}.`)
  }

  async ask<T>(call: (remote: Remote<WireApi>) => Promise<T>, timeout?: number): Promise<T> {
    if (this.#lost) throw this.#lost
    let reject: (error: CheckpointerError) => void = () => {}
    const lost = new Promise<never>((_, no) => {
      reject = no
    })
    this.#pending.add(reject)
    this.#listen()
    let timer: ReturnType<typeof setTimeout> | undefined
    if (timeout !== undefined) {
      const lose = (): void => this.#lose(`The worker did not answer in ${timeout / 1000} s.`)
      timer = setTimeout(() => {
        timer = setTimeout(lose, this.#patience.overdue)
      }, timeout)
    }
    try {
      return await Promise.race([call(this.#remote), lost])
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

  #lose(message: string): void {
    this.#lost ??= new CheckpointerError('WORKER_LOST', message)
    for (const reject of this.#pending) reject(this.#lost)
    this.hangUp()
  }

  hangUp(grace = 0): void {
    if (this.#hungUp) return
    this.#hungUp = true
    this.#lost ??= new CheckpointerError('CLOSED', 'This checkpointer is closed. Open it again.')
    clearTimeout(this.#watch)
    this.#worker.removeEventListener('message', this.#onMessage)
    this.#worker.removeEventListener('error', this.#onError)
    this.#worker.removeEventListener('messageerror', this.#onError)
    this.#remote[releaseProxy]()
    const end = setTimeout(() => letGo(this.#worker), grace)
    // In Node a timer would keep the process alive.
    ;(end as { unref?: () => void }).unref?.()
  }
}

/** A worker ends; a port is closed, so that the other end can be collected. */
function letGo(worker: WorkerLike): void {
  if (worker.terminate) worker.terminate()
  else if (typeof MessagePort !== 'undefined' && worker instanceof MessagePort) worker.close()
}
