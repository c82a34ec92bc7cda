import { onAbort } from '../../platform/on-abort.ts'
import { CheckpointerError, closed } from '../../errors.ts'
import { blocked, type Claim, type ClaimOptions, type Claims, type LookOptions } from '../../tabs/claims.ts'
import { LeaseNews, type NewsSource } from './news.ts'
import { HeldLease, type LeaseOptions } from './lease.ts'
import { checkFlag, checkOptions, checkSignal, invalid, type Names } from '../options/options.ts'

const LEASE: Names<LeaseOptions> = { steal: true, signal: true, wait: true }
/** Nobody is waited for then; but a tab that was frozen in mid-transaction keeps all others from writing. */
const STEALING = 10_000
/** A timer takes no more. */
const LONGEST_WAIT = 2 ** 31 - 1

/** How it is known that a lease is over. */
interface Ends {
  readonly lost: AbortController
  readonly news: LeaseNews
}

/** The leases of one checkpointer: those it holds, and those it waits for. */
export class Leases {
  readonly #claims: Claims
  readonly #news: NewsSource
  readonly #held = new Set<HeldLease>()
  /** Settles when nothing of a claim is left behind; and what stops its waiting. */
  readonly #claiming = new Map<Promise<void>, AbortController>()
  /** The threads whose signs of life are looked at behind the back of who was refused. */
  readonly #looking = new Set<string>()
  #isClosed = false

  constructor(claims: Claims, news: NewsSource) {
    this.#claims = claims
    this.#news = news
  }

  async take(thread: string, given: LeaseOptions): Promise<HeldLease> {
    const { steal = false, signal, wait = true } = checkOptions('lease', given, LEASE)
    checkFlag('steal', steal)
    checkSignal(signal)
    if (typeof wait !== 'boolean' && !(typeof wait === 'number' && wait >= 0))
      throw invalid('wait', 'true, false, or milliseconds from 0')
    if (this.#isClosed) throw closed()
    signal?.throwIfAborted()

    const stop = new AbortController()
    const lost = new AbortController()
    const leave = signal && onAbort(signal, () => stop.abort(signal.reason))
    const limit = typeof wait === 'number' && wait > 0 ? wait : steal ? STEALING : LONGEST_WAIT
    const late = (): void => stop.abort(steal ? heldUp(thread) : blocked(thread))
    const timer = limit < LONGEST_WAIT ? setTimeout(late, limit) : undefined
    const news = new LeaseNews(thread, lost, this.#news)
    try {
      const claim = await this.#claim(thread, stop, {
        steal,
        now: wait === false || wait === 0,
        signal: stop.signal,
        onLost: () => lost.abort(takenOver(thread)),
      })
      return await this.#hold(thread, claim, { lost, news })
    } catch (error) {
      news.stop()
      if (CheckpointerError.is(error, 'BLOCKED')) this.#lookOn(thread)
      throw error
    } finally {
      clearTimeout(timer)
      leave?.()
    }
  }

  /** No more waiting once it is stopped; what is granted after that is given back. */
  #claim(thread: string, stop: AbortController, options: ClaimOptions): Promise<Claim> {
    return new Promise((resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true })
      const settled: Promise<void> = this.#letGo(thread)
        .then(() => this.#claims.claim(thread, options))
        .then((claim) => (stop.signal.aborted ? claim.end() : resolve(claim)))
        .catch(reject)
        .finally(() => this.#claiming.delete(settled))
      this.#claiming.set(settled, stop)
    })
  }

  /** Who has not waited until it is seen that a runner is gone would begin to look anew each time. */
  #lookOn(thread: string): void {
    if (this.#looking.has(thread)) return
    this.#looking.add(thread)
    const done = (): void => void this.#looking.delete(thread)
    this.isHeld(thread, { isIdle: true }).then(done, done)
  }

  /** What could not be let go of here gives no signs of life, and would be waited for all the same. */
  async #letGo(thread: string): Promise<void> {
    for (const lease of this.#held)
      if (lease.thread === thread && lease.isLeft) await lease.release().catch(() => {})
  }

  async #hold(thread: string, claim: Claim, { lost, news }: Ends): Promise<HeldLease> {
    await news.granted(claim)
    if (lost.signal.aborted || this.#isClosed) {
      if (lost.signal.aborted) claim.abandon()
      else await Promise.allSettled([claim.end()])
      throw this.#isClosed ? closed() : lost.signal.reason
    }
    const done = (): void => {
      news.stop()
      this.#held.delete(lease)
    }
    const end = (): Promise<void> => claim.end().then(done)
    const abandon = (): void => {
      claim.abandon()
      done()
    }
    const lease = new HeldLease(thread, { ...claim, end, abandon }, lost)
    this.#held.add(lease)
    return lease
  }

  /** Whether a runner that lives, here or elsewhere, has the thread's lease. */
  async isHeld(thread: string, options: LookOptions = {}): Promise<boolean> {
    const isOurs = [...this.#held].some(
      (lease) => lease.thread === thread && !lease.signal.aborted && !lease.isLeft,
    )
    return isOurs || this.#claims.isHeld(thread, options)
  }

  /** Stops what waits, and releases what is held when what is written under it has settled. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#claiming.values()) stop.abort(closed())
    const releases = [...this.#held].map((lease) => lease.release())
    await Promise.allSettled([...this.#claiming.keys(), ...releases])
  }
}

const heldUp = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    `The lease of thread '${thread}' could not be taken over: another tab stands still in the middle of a change. Wake it, or close it.`,
    { thread },
  )

const takenOver = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'LEASE_LOST',
    `The lease of thread '${thread}' was taken over by another runner, or went with the thread.`,
    { thread },
  )
