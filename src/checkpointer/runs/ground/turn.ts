import { CheckpointerError, isTaken } from '../../../errors.ts'
import type { HeldLease } from '../../leases/lease.ts'
import { newId } from '../../new-id.ts'
import type { Ground } from './ground.ts'
import { PageStays } from './page-stays.ts'
import { linkedController } from '../linked-signal.ts'
import type { RunOptions } from '../types.ts'

/** One runner's turn on a thread: its lease, which it lets go of while it waits for a person, and why it ends. */
export class Turn<State> {
  readonly id = newId()
  readonly ground: Ground<State>
  readonly page = new PageStays()
  readonly #controller: AbortController
  readonly #unlink: () => void
  #lease: HeldLease
  #unlinkLease = (): void => {}
  /** Parking and waking, one after the other. */
  #moved: Promise<unknown> = Promise.resolve()
  #moves = 0
  #isParked = false
  #isOver = false

  private constructor(ground: Ground<State>, lease: HeldLease, signal: AbortSignal | undefined) {
    this.ground = ground
    this.#lease = lease
    const { controller, unlink } = linkedController([signal, ground.closed])
    this.#controller = controller
    this.#unlink = unlink
    try {
      this.#follow(lease)
    } catch (error) {
      unlink()
      this.page.stop()
      throw error
    }
  }

  static async take<State>(
    ground: Ground<State>,
    { signal, wait, steal }: Pick<RunOptions, 'signal' | 'wait' | 'steal'>,
  ): Promise<Turn<State>> {
    signal?.throwIfAborted()
    const lease = ground.lease ?? (await ground.takeLease({ signal, wait, steal }))
    return new Turn(ground, lease, signal)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get token(): number {
    return this.#lease.token
  }

  /** The lease to write under, as long as it is held. */
  get lease(): HeldLease {
    if (this.#isOver) throw over(this.ground.thread)
    return this.#lease
  }

  /** It has the thread, and neither lets go of it nor comes back to it just now. */
  get isHeld(): boolean {
    return !this.#isParked && this.#moves === 0
  }

  get isParked(): boolean {
    return this.#isParked
  }

  /** Resolves when it neither lets go of the thread nor comes back to it any more. */
  async settled(): Promise<void> {
    await this.#moved
  }

  /**
   * Says so with `tell`, and lets others have the thread. Whether the run is idle is asked last: what it begins from
   * then on waits until it has the thread again.
   */
  park(isIdle: () => boolean, tell: (lease: HeldLease) => Promise<void>): Promise<void> {
    return this.#move(async () => {
      if (this.#isParked || !isIdle()) return
      await tell(this.#lease)
      this.#isParked = true
      await this.#leave()
    })
  }

  /** Has the thread again, and goes on if `check` agrees; else it is as before, also for whoever waits behind this. */
  wake(check: (lease: HeldLease) => Promise<void>): Promise<void> {
    return this.#move(async () => {
      if (!this.#isParked) return
      this.signal.throwIfAborted()
      if (!this.ground.lease) {
        this.#lease = await this.ground.takeLease({ signal: this.signal })
        this.#follow(this.#lease)
      }
      try {
        await check(this.#lease)
        this.#isParked = false
      } finally {
        if (this.#isParked) await this.#leave()
      }
    })
  }

  /** Another runner has the run. */
  lose(): unknown {
    if (!this.signal.aborted) this.#controller.abort(goneOn(this.ground.thread))
    return this.signal.reason
  }

  async end(): Promise<void> {
    await this.#moved
    this.#isOver = true
    this.page.stop()
    if (!this.signal.aborted) this.#controller.abort(over(this.ground.thread))
    this.#unlink()
    this.#unlinkLease()
    if (this.ground.lease === undefined) await this.#letGo()
  }

  /** The next one may have it. */
  async #leave(): Promise<void> {
    if (this.ground.lease) return
    this.#unlinkLease()
    await this.#lease.release()
  }

  /** How the run has ended is known by now, and stays what its caller is told. */
  async #letGo(): Promise<void> {
    const { ground } = this
    try {
      await this.#lease.release()
    } catch (error) {
      if (!ground.closed.aborted) ground.onWarning(isTaken(error) ? error : stillHeld(ground.thread, error))
    }
  }

  #follow(lease: HeldLease): void {
    const { thread, namespace } = this.ground
    const leave = lease.use(namespace, () => this.#controller.abort(released(thread)))
    if (!leave) throw runAlready(thread)
    const lost = (): void => this.#controller.abort(lease.signal.reason)
    lease.signal.addEventListener('abort', lost, { once: true })
    this.#unlinkLease = () => {
      leave()
      lease.signal.removeEventListener('abort', lost)
    }
    if (lease.signal.aborted) lost()
  }

  #move<T>(work: () => Promise<T>): Promise<T> {
    this.#moves++
    const moving = this.#moved.then(work).finally(() => this.#moves--)
    this.#moved = moving.catch(() => {})
    return moving
  }
}

const runAlready = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'CONFLICT',
    `Thread '${thread}' is run under this lease already. Wait for that run to end; a part of it can be run in another namespace.`,
    { thread },
  )

const released = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'LEASE_LOST',
    `The lease that the run of thread '${thread}' was under was released. It can be resumed.`,
    { thread },
  )

const over = (thread: string): CheckpointerError =>
  new CheckpointerError('CLOSED', `The run of thread '${thread}' has ended. Nothing was written.`, { thread })

const stillHeld = (thread: string, cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `The lease of thread '${thread}' could not be let go of when its run had ended: the next runner may have to wait.`,
    { thread, cause },
  )

const goneOn = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'LEASE_LOST',
    `Another runner has gone on with the run of thread '${thread}' while this one waited. Nothing was written.`,
    { thread },
  )
