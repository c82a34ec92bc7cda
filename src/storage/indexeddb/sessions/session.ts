import { unref } from '../../../platform/unref.ts'
import type { Connection } from '../connection.ts'
import { nameOf } from '../errors.ts'
import { showLife } from './life.ts'
import type { Past } from './past.ts'
import { rowsOfSession } from '../schema.ts'
import { writeSessionRows } from './session-rows.ts'

/** So long after the last write the marker goes: a service worker that is killed when idle then leaves none. */
const IDLE = 15_000

/**
 * The marker that a session puts before its first write, and takes away when it comes to rest: one that is found
 * later is of a session that was killed. While it is there, writes wait for nothing.
 */
export class Session {
  #id: string
  readonly #connection: Connection
  readonly #past: () => Promise<Past>
  #marker: 'none' | 'plain' | 'owes' = 'none'
  /** Something was acknowledged that is done only when `rest` is called. */
  #isHeld = false
  #writing = 0
  #lastWrite = 0
  #idle: ReturnType<typeof setTimeout> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #whenQuiet: (() => void)[] = []
  #letGo: (() => void) | undefined

  constructor(id: string, connection: Connection, past: () => Promise<Past>) {
    this.#id = id
    this.#connection = connection
    this.#past = past
  }

  get id(): string {
    return this.#id
  }

  /** Before each write, which then calls `end`. One that makes room goes on without a marker where there is no room for that. */
  begin(owes: boolean, makesRoom = false, name?: string): Promise<void> | undefined {
    this.#writing++
    return this.#isMarked(owes) ? undefined : this.#inTurn(() => this.#mark(owes, makesRoom, name))
  }

  end(): void {
    this.#writing--
    this.#lastWrite = performance.now()
    if (this.#writing === 0) for (const go of this.#whenQuiet.splice(0)) go()
  }

  /** Goes by this name from here on, unless it owes under another one. Gives the name. */
  async owe(name?: string): Promise<string> {
    this.#isHeld = true
    try {
      await this.begin(true, false, name)
      return this.#id
    } finally {
      this.end()
    }
  }

  /** Waits for the writes under way. Should others begin meanwhile, the marker stays, and goes when they are done. */
  async rest(): Promise<void> {
    this.#isHeld = false
    if (this.#writing > 0) await new Promise<void>((quiet) => this.#whenQuiet.push(quiet))
    await this.#inTurn(async () => {
      if (this.#marker === 'none' || this.#writing > 0 || this.#isHeld) return
      // Not after it is gone: a write that comes meanwhile waits in turn, and puts it again.
      this.#marker = 'none'
      clearTimeout(this.#idle)
      try {
        await writeSessionRows(this.#connection, (store) => [store.delete([this.#id, 0])])
      } finally {
        this.forget()
      }
    })
  }

  /** The database that had the marker is gone, or given up. */
  forget(): void {
    this.#marker = 'none'
    clearTimeout(this.#idle)
    this.#letGo?.()
    this.#letGo = undefined
  }

  #isMarked(owes: boolean): boolean {
    return this.#marker === 'owes' || (this.#marker === 'plain' && !owes)
  }

  /** Under another name in place of the one it has: then its writes are not without a marker in between. */
  async #mark(owes: boolean, makesRoom: boolean, id = this.#id): Promise<void> {
    if (this.#isMarked(owes)) return
    const was = id === this.#id ? undefined : { id: this.#id, letGo: this.#letGo }
    // Before the marker is there, so that nobody takes this session for dead.
    const letGo = (was ? undefined : this.#letGo) ?? (await showLife(this.#connection.name, id))
    if (!was) this.#letGo = letGo
    try {
      const { dead } = await this.#past()
      await writeSessionRows(this.#connection, (store) => [
        ...(was ? [...dead, was.id] : dead).map((each) => store.delete(rowsOfSession(each))),
        store.put({ session: id, number: 0, owes, at: Date.now() }),
      ])
    } catch (error) {
      if (was) letGo?.()
      // All else is refused: what is acknowledged without a marker would be lost in silence when the session is killed.
      if (makesRoom && nameOf(error) === 'QuotaExceededError') return
      throw error
    }
    if (was) {
      was.letGo?.()
      this.#id = id
      this.#letGo = letGo
    }
    this.#marker = owes ? 'owes' : 'plain'
    this.#lastWrite = performance.now()
    this.#watch()
  }

  /** Without a lock, only how young the marker is shows others that this session may live. */
  async #renew(): Promise<void> {
    if (this.#letGo || this.#marker === 'none') return
    const marker = { session: this.#id, number: 0, owes: this.#marker === 'owes', at: Date.now() }
    await writeSessionRows(this.#connection, (store) => [store.put(marker)], 'relaxed')
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }

  #watch(wait = IDLE): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      const left = IDLE - (performance.now() - this.#lastWrite)
      const isBusy = this.#writing > 0 || this.#isHeld
      // It then stays, and is a false alarm at worst.
      if (!isBusy && left <= 0) return void this.rest().catch(() => {})
      this.#watch(isBusy ? IDLE : left)
      // Or others take it for dead, at worst.
      this.#inTurn(() => this.#renew()).catch(() => {})
    }, wait)
    unref(this.#idle)
  }
}
