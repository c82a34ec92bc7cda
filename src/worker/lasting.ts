import { CheckpointerError, closed } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import { callOf, makeHost, onlyReads, type Verb } from '../operations/verbs.ts'
import { connect } from './connect.ts'
import type { Patience } from './line.ts'
import type { WorkerLike } from './start.ts'
import { started } from './started.ts'
import type { OpenMessage } from './wire.ts'

/** Lost that often within this time, workers are given up. */
const MOST_LOSSES = 3
const WITHIN = 60_000
/** How many workers are started for one call. */
const MOST_TRIES = 2

export interface Ways {
  readonly message: OpenMessage
  /** Gives a worker; called again for a new one when it was lost. */
  readonly start: () => WorkerLike
  /** Whether this thread may do the work from the first when no worker can be had. */
  readonly orHere: boolean
  readonly onWarning: (warning: CheckpointerError) => void
  readonly patience?: Patience | undefined
}

/**
 * A host that outlives its worker. What was out when a worker is lost is rejected with `WORKER_LOST`; the next call
 * starts another one, for all that come meanwhile. When that happens too often the store runs in this thread.
 */
export async function lastingHost(ways: Ways): Promise<Host> {
  const reach = new Reach(ways)
  await reach.open()
  const call =
    (verb: Verb) =>
    async (request: unknown): Promise<unknown> => {
      try {
        return await callOf(await reach.host(), verb)(request)
      } catch (error) {
        // Who comes back to a page need not know that it was away.
        if (!onlyReads(verb) || !reach.isExcused(error)) throw error
        return callOf(await reach.host(), verb)(request)
      }
    }
  const host = makeHost(call)
  return {
    ...host,
    // A worker that is lost holds nothing that would have to rest.
    rest: async () => (await reach.live)?.rest(),
    destroy: () => reach.destroy(),
    close: () => reach.close(),
  }
}

class Reach {
  readonly #ways: Ways
  /** Nothing stays in use here once it was lost, also when the caller's function goes on giving it. */
  readonly #used = new WeakSet<WorkerLike>()
  #current: Promise<Host> | undefined
  #losses: number[] = []
  #why: CheckpointerError | undefined
  /** Why it was lost, when that was nobody's fault. */
  #excuse: CheckpointerError | undefined
  /** Settled when the one before does nothing any more: what it still did is then seen by the next. */
  #gone: Promise<unknown> | undefined
  #isHere = false
  #ended = false

  constructor(ways: Ways) {
    this.#ways = ways
  }

  /** The host as it is now, if it is not lost. */
  get live(): Promise<Host> | undefined {
    return this.#current
  }

  isExcused(error: unknown): boolean {
    return CheckpointerError.is(error, 'WORKER_LOST') && error.cause === (this.#excuse ?? error)
  }

  async open(): Promise<void> {
    await this.#reaching(() =>
      this.#connect().catch((error: unknown) => {
        if (!this.#ways.orHere || !CheckpointerError.is(error, 'WORKER_LOST')) throw error
        return this.#here('No worker could be started, so the store runs in this thread.', error)
      }),
    )
  }

  async host(): Promise<Host> {
    if (this.#ended) throw closed()
    return this.#current ?? this.#reaching(() => this.#renew())
  }

  async close(): Promise<void> {
    this.#ended = true
    // What could not be reached has let go of everything.
    const host = await this.#current?.catch(() => undefined)
    await host?.close()
    await this.#gone
  }

  async destroy(): Promise<void> {
    for (let isDone = false; !isDone;) {
      const host = await this.host()
      isDone = await host.destroy().then(
        () => true,
        (error: unknown) => {
          // The next one finds what is left; the last one is in this thread.
          if (CheckpointerError.is(error, 'WORKER_LOST')) return false
          this.#ended = true
          throw error
        },
      )
    }
    this.#ended = true
  }

  /** Until it fails or is lost, this is what all calls go to. */
  #reaching(work: () => Promise<Host>): Promise<Host> {
    const reaching = work()
    this.#current = reaching
    reaching.catch(() => {
      if (this.#current === reaching) this.#current = undefined
    })
    return reaching
  }

  async #renew(): Promise<Host> {
    await this.#gone
    for (let tried = 0; tried < MOST_TRIES && !this.#isHopeless(); tried++) {
      try {
        return await this.#connect()
      } catch (error) {
        // That the database cannot be opened is not the worker's fault.
        if (!CheckpointerError.is(error, 'WORKER_LOST') && !CheckpointerError.is(error, 'INVALID'))
          throw error
        this.#why = error
      }
    }
    return this.#here(
      'The worker was lost again and again, so the store runs in this thread from now on.',
      this.#why,
    )
  }

  #isHopeless(): boolean {
    const since = performance.now() - WITHIN
    this.#losses = this.#losses.filter((at) => at > since)
    return this.#isHere || this.#losses.length >= MOST_LOSSES
  }

  async #connect(): Promise<Host> {
    const { message, start, onWarning, patience } = this.#ways
    const worker = started(start)
    if (this.#used.has(worker))
      throw new CheckpointerError(
        'WORKER_LOST',
        'The worker that was given is one that was lost already: give a new one each time it is asked for.',
      )
    this.#used.add(worker)
    let isReached = false
    const onLost = (why: CheckpointerError, gone: Promise<unknown>, isFault: boolean): void => {
      if (!isReached) return
      this.#gone = gone
      this.#current = undefined
      this.#why = why
      if (isFault) this.#losses.push(performance.now())
      else this.#excuse = why
    }
    const host = await connect(worker, message, { onWarning, onLost, patience })
    isReached = true
    return host
  }

  /** In this thread, for good. Loaded only where it is needed. */
  async #here(why: string, cause: unknown): Promise<Host> {
    const { message, onWarning } = this.#ways
    if (!this.#isHere)
      onWarning(new CheckpointerError('WORKER_LOST', `${why} All works; long work may be felt.`, { cause }))
    this.#isHere = true
    const inProcess = await import('./in-process.ts').catch((cause: unknown) => {
      const why = 'The worker is lost, and the store could not be loaded into this thread.'
      throw new CheckpointerError('WORKER_LOST', why, { outcome: 'none', cause })
    })
    return inProcess.indexedDbHost(message, onWarning)
  }
}
