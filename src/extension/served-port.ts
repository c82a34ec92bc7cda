import type { CheckpointerEvent } from '../checkpoint.ts'
import type { Checkpointer } from '../checkpointer/checkpointer.ts'
import { hostOf } from '../checkpointer/host-of.ts'
import { CheckpointerError, reportFailure } from '../errors.ts'
import type { Verb } from '../operations/verbs.ts'
import type { GuardedHost } from '../remote/guard.ts'
import { toWire } from '../worker/wire.ts'
import { unpackCall } from '../remote/pack.ts'
import { LeasesTaken } from '../remote/leases-taken.ts'
import { Assembly, isPart, partsOf, type Part } from './parts.ts'
import { PROTOCOL, type Said } from './protocol.ts'
import type { Room } from './room.ts'
import type { Port, Sender } from './runtime.ts'

/** Who may do what: `thread` is absent when the whole store is touched, and for `'connect'`. */
export type AllowSender = (
  sender: Sender,
  verb: Verb | 'events' | 'connect',
  thread: string | undefined,
) => boolean | PromiseLike<boolean>

interface Serving {
  readonly opened: Promise<Checkpointer>
  readonly guard: Promise<GuardedHost>
  readonly allow: AllowSender
  readonly room: Room
  readonly onStop: () => void
}

/** One who is connected. */
export class ServedPort {
  readonly #port: Port
  readonly #serving: Serving
  readonly #sender: Sender
  readonly #assembly: Assembly
  #unsubscribe: (() => void) | undefined
  #stopped = false
  #told: Promise<void> = Promise.resolve()
  #admitted: Promise<unknown> = Promise.resolve()
  readonly #leases = new LeasesTaken()

  constructor(port: Port, serving: Serving) {
    this.#port = port
    this.#serving = serving
    this.#sender = port.sender ?? {}
    this.#assembly = new Assembly(serving.room, unpackCall)
    // Whoever waits knows from this that it has come to the right place.
    this.#post({ here: true })
    void this.#welcome()
  }

  end(): void {
    this.#stop()
    this.#release()
  }

  #stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#assembly.clear()
    this.#unsubscribe?.()
    this.#port.onMessage.removeListener(this.#onMessage)
    this.#port.disconnect()
    this.#serving.onStop()
  }

  /** Who is gone holds nothing: others need not wait until no sign of life has come for long enough. */
  #release(): void {
    void this.#serving.opened.then((each) => this.#leases.dropAll(hostOf(each))).catch(() => {})
  }

  async #welcome(): Promise<void> {
    try {
      await this.#refuseStranger()
      const checkpointer = await this.#serving.opened
      if (this.#stopped) return
      // Not before: what a stranger sends is not even looked at.
      this.#port.onMessage.addListener(this.#onMessage)
      this.#unsubscribe = checkpointer.subscribe((event) => {
        this.#told = this.#told.then(() => this.#tell(event)).catch(reportFailure)
      })
      this.#post({ hello: PROTOCOL })
    } catch (error) {
      this.#post({ refused: toWire(error) })
      this.end()
    }
  }

  async #tell(event: CheckpointerEvent): Promise<void> {
    const threads =
      'thread' in event ? [event.thread, ...(event.type === 'forked' ? [event.from] : [])] : [undefined]
    for (const thread of threads)
      if ((await this.#serving.allow(this.#sender, 'events', thread)) !== true) return
    this.#post({ event })
  }

  readonly #onMessage = (part: unknown): void => {
    if (!isPart(part)) return
    try {
      const whole = this.#assembly.add(part)
      if (whole) void this.#answer(part, whole.message)
    } catch (error) {
      this.#reply(part, { error: toWire(error) })
    }
  }

  async #answer(part: Part, message: unknown): Promise<void> {
    try {
      // Whatever `allow` waits for, calls are made in the order in which they came.
      const admitted = this.#admitted.then(() => this.#admit(message))
      this.#admitted = admitted.catch(() => {})
      const make = await admitted
      const value = await make()
      this.#leases.note(message, value)
      this.#reply(part, { value })
      // It has gone while it was given a lease.
      if (this.#stopped) this.#release()
    } catch (error) {
      this.#reply(part, { error: toWire(error) })
    }
  }

  async #admit(message: unknown): Promise<() => Promise<unknown>> {
    const { verb, request } = (message ?? {}) as { verb?: unknown; request?: unknown }
    await this.#refuseStranger()
    const guard = await this.#serving.guard
    return guard.admit(verb, request, (what, thread) => this.#serving.allow(this.#sender, what, thread))
  }

  async #refuseStranger(): Promise<void> {
    if ((await this.#serving.allow(this.#sender, 'connect', undefined)) === true) return
    throw new CheckpointerError('FORBIDDEN', 'This caller may not use the checkpointer of the extension.', {
      outcome: 'none',
    })
  }

  #reply({ id }: Part, message: unknown): void {
    for (const part of partsOf(id, message)) this.#post(part)
  }

  #post(message: Said | Part): void {
    if (this.#stopped) return
    try {
      this.#port.postMessage(message)
    } catch {
      // It was disconnected, and is told so in a moment.
    }
  }
}
