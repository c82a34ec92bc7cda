import { CheckpointerError, closed, type ErrorCode } from '../errors.ts'
import type { Verb } from '../operations/verbs.ts'
import { listeners, parseEvent, type EventSource } from '../tabs/events.ts'
import type { OnWarning } from '../warner.ts'
import { fromWire, toWire, type WireError } from '../worker/wire.ts'
import { Calls, requestOf, type Answer, type Call } from './calls.ts'
import { Assembly, isPart, partsOf } from './parts.ts'
import { otherVersion, PROTOCOL } from './protocol.ts'
import { Room } from './room.ts'
import type { Port } from './runtime.ts'

/** How long the other side is waited for, in milliseconds. */
export interface Patience {
  /** Until somebody there says that the port is theirs: a service worker may have to be started for that. */
  readonly here: number
  /** From then on until the store is open. */
  readonly hello: number
  /** For what may be waiting already: a page that was frozen sees its timers before its messages. */
  readonly overdue: number
}

const PATIENCE: Patience = { here: 30_000, hello: 120_000, overdue: 1_000 }
/** As often it is tried to connect when nobody answers, before calls are given up; and the pause before that, which
 * doubles up to then, in milliseconds. */
const MOST_CONNECTIONS = 8
const PAUSE = 25

const NOBODY =
  'Nobody answers in the service worker: does it call serveCheckpointer at its start, by the same name?'
const GONE = 'The extension cannot be reached any more; reload the page.'

interface Around {
  readonly onWarning: OnWarning
  readonly patience?: Patience | undefined
}

/** Calls in their order, over one port after another: a service worker is killed whenever it is idle. */
export class PortLine {
  readonly heard = listeners()
  readonly #gaps = new Set<() => void>()
  /** Tells what was missed since then. */
  catchUp: (since: number) => Promise<void> = async () => {}
  readonly #connect: () => Port
  readonly #onWarning: OnWarning
  readonly #patience: Patience
  readonly #calls = new Calls()
  #port: Port | undefined
  /** Nobody is listened to before that. */
  #isWelcome = false
  #failures = 0
  #isClosed = false
  /** Who only listens does not come back to where it was refused. */
  #isRefused = false
  /** It was told that there is nothing to be heard: once is enough. */
  #isToldSo = false
  /** Since when something may have been missed; absent before the first port, and when all was told. */
  #lost: number | undefined
  #catchingUp = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined

  constructor(connect: () => Port, { onWarning, patience = PATIENCE }: Around) {
    this.#connect = connect
    this.#onWarning = onWarning
    this.#patience = patience
  }

  readonly events: EventSource = {
    subscribe: (listener) => {
      this.#isToldSo = false
      const leave = this.heard.add(listener)
      this.#reach()
      return leave
    },
    // Of what the service worker does itself, and hears of.
    hearsAll: true,
    onGap: (listener) => {
      this.#gaps.add(listener)
      return () => void this.#gaps.delete(listener)
    },
    close: () => this.heard.clear(),
  }

  call(verb: Verb, request: unknown): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const call = this.#calls.add(verb, request, { resolve, reject })
      if (this.#isWelcome) this.#send(call)
      else this.#reach()
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#port?.disconnect()
    this.#leave()
    this.#calls.close(closed())
  }

  /** Connects; what is waiting is sent when it is welcome. */
  #reach(): void {
    if (this.#port || this.#isClosed || this.#retry !== undefined) return
    let port: Port
    try {
      port = this.#connect()
    } catch (cause) {
      // The extension was reloaded or removed: this page is of one that is no more.
      this.#calls.giveUp(GONE, cause)
      return this.#deaf('WORKER_LOST', GONE, cause)
    }
    this.#port = port
    const assembly = new Assembly(new Room(Number.MAX_SAFE_INTEGER))
    port.onMessage.addListener((message) => this.#hear(port, assembly, message))
    port.onDisconnect.addListener(() => this.#dropped(port))
    // Somebody else may listen there, and keep the port without a word.
    this.#expect(port, this.#patience.here, NOBODY)
  }

  #expect(port: Port, wait: number, orElse: string): void {
    clearTimeout(this.#deadline)
    const giveUp = (): void => {
      port.disconnect()
      this.#leave()
      this.#failures++
      this.#giveUp(orElse)
      this.#comeBack()
    }
    this.#deadline = setTimeout(() => {
      this.#deadline = setTimeout(giveUp, this.#patience.overdue)
    }, wait)
  }

  #send(call: Call): void {
    const request = requestOf(call)
    call.sent++
    try {
      for (const part of partsOf(call.id, { verb: call.verb, request })) this.#port?.postMessage(part)
    } catch {
      // Disconnected a moment ago: it is told so, and then sent anew.
    }
  }

  #hear(port: Port, assembly: Assembly, message: unknown): void {
    if (port !== this.#port) return
    if (isPart(message)) {
      let whole: { readonly message: unknown } | undefined
      try {
        whole = assembly.add(message)
      } catch {
        // Whoever speaks like that answers nothing more: another port may be better.
        port.disconnect()
        return this.#dropped(port)
      }
      this.#failures = 0
      if (whole) this.#calls.answered(message.id, whole.message as Answer)
      return
    }
    const said = (message ?? {}) as Partial<Record<'here' | 'hello' | 'refused' | 'event', unknown>>
    if (said.here)
      this.#expect(port, this.#patience.hello, 'The service worker does not come to open its store.')
    if (said.hello !== undefined) this.#greeted(said.hello)
    if (said.refused) this.#refused(said.refused as WireError)
    const told = said.event === undefined ? undefined : parseEvent(said.event)
    if (told) this.heard.tell(told)
  }

  #greeted(version: unknown): void {
    clearTimeout(this.#deadline)
    this.#failures = 0
    if (version !== PROTOCOL) {
      this.#port?.disconnect()
      this.#leave()
      return this.#refused(toWire(otherVersion(version)))
    }
    this.#isRefused = false
    this.#isToldSo = false
    this.#isWelcome = true
    for (const call of this.#calls.inOrder()) this.#send(call)
    if (this.#lost !== undefined && !this.heard.isEmpty()) void this.#tellMissed(this.#lost)
    else this.#lost = undefined
  }

  async #tellMissed(since: number): Promise<void> {
    const mine = ++this.#catchingUp
    for (const listener of this.#gaps) listener()
    try {
      await this.catchUp(since)
    } catch (error) {
      // The next port makes up for it.
      if (CheckpointerError.is(error, 'WORKER_LOST') || CheckpointerError.is(error, 'CLOSED')) return
      const message = 'What was saved while the service worker was stopped could not be told.'
      this.#onWarning(new CheckpointerError('FAILED', message, { cause: error }))
    }
    if (mine === this.#catchingUp) this.#lost = undefined
  }

  #refused(error: WireError): void {
    clearTimeout(this.#deadline)
    this.#isRefused = true
    this.#calls.refused(error)
    this.#deaf(error.code, error.message, fromWire(error))
  }

  #dropped(port: Port): void {
    if (port !== this.#port) return
    if (this.#isWelcome) this.#calls.died()
    this.#leave()
    this.#lost ??= Date.now()
    this.#failures++
    if (this.#failures > MOST_CONNECTIONS) this.#giveUp(NOBODY)
    this.#comeBack()
  }

  /** There is no port any more. */
  #leave(): void {
    clearTimeout(this.#deadline)
    this.#port = undefined
    this.#isWelcome = false
  }

  #comeBack(): void {
    if (this.#calls.isEmpty && (this.heard.isEmpty() || this.#isRefused)) {
      this.#failures = 0
      return
    }
    // At once after one that had answered.
    const wait = this.#failures === 1 ? 0 : PAUSE * 2 ** Math.min(this.#failures, MOST_CONNECTIONS)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#reach()
    }, wait)
  }

  #giveUp(message: string): void {
    this.#calls.giveUp(message)
    this.#deaf('WORKER_LOST', message)
  }

  /** Who only listens is told that there is nothing to be heard; who can look finds out so by a call. */
  #deaf(code: ErrorCode, message: string, cause?: unknown): void {
    if (this.heard.isEmpty() || this.#isToldSo) return
    this.#isToldSo = true
    this.#onWarning(new CheckpointerError(code, `Changes are not heard of. ${message}`, { cause }))
    for (const listener of this.#gaps) listener()
  }
}
