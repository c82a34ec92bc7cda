import { CheckpointerError } from '../../errors.ts'
import { deleteThread } from '../delete.ts'
import { readFamily } from '../store/family.ts'
import type { ThreadRow } from '../rows/thread-row.ts'
import type { Store } from '../store/store.ts'
import { letGo } from './let-go.ts'
import { idleSince, type IdleThread } from './oldest.ts'
import { Weights } from './weights.ts'

/**
 * Not saved to for so long, in milliseconds, a thread may be cut down to its head, and to be deleted for so long. When its
 * run is said to be running, for longer: one step may take hours, and whether its runner lives no row tells at a glance.
 */
const IDLE = { cut: 60_000, deleted: 10 * 60_000, running: 24 * 3_600_000 }
/** So far below the most is made room, that not every save is over it again. */
const LOW = 0.9
const MOST_NAMES = 5

/**
 * Keeps all threads together below a weight. When they are above it, the threads that were idle for longest are cut
 * down to their heads and what has a label; when that is not enough, those idle for longest are deleted, but none
 * that holds a label. Never silently.
 */
export class Ceiling {
  readonly #store: Store
  readonly #most: number
  readonly #weights: Weights
  readonly #deleted: string[] = []
  /** What it may come to before it is weighed again; absent below the most, unless that could not be read. */
  #lull: { readonly bytes: number; readonly until: number } | undefined
  #isTold = false

  constructor(store: Store, most: number) {
    this.#store = store
    this.#most = most
    this.#weights = new Weights(store, most)
  }

  /** After it was weighed, not before there may be too much again, or what was busy may be idle. */
  get isDue(): boolean {
    const { isToBeRead, atMost } = this.#weights
    if (!this.#lull) return isToBeRead || atMost > this.#most
    return atMost > this.#lull.bytes || Date.now() > this.#lull.until
  }

  put(partition: string, bytes: number): void {
    this.#weights.put(partition, bytes)
  }

  /** In steps, between which others may have their turn. */
  async *makeRoom(): AsyncGenerator<void> {
    // Should it fail, it is not begun again with every save.
    this.#rest()
    if (this.#weights.isToBeRead) yield* this.#weights.readAll()
    // What was put may have replaced as much: nothing goes for it before it is known.
    if (this.#weights.atMost > this.#most) yield* this.#weights.readChanged()
    if (this.#weights.known > this.#most) yield* this.#cutAndDelete()
    const isTooMuch = this.#weights.known > this.#most
    if (isTooMuch && !this.#isTold) this.#store.warn(this.#tooMuch())
    this.#isTold = isTooMuch
    this.#rest()
  }

  #rest(): void {
    const { known, atMost, isToBeRead } = this.#weights
    const room = Math.max(this.#most - known, this.#most * (1 - LOW))
    const lull = { bytes: atMost + room, until: Date.now() + IDLE.cut }
    this.#lull = isToBeRead || atMost > this.#most ? lull : undefined
  }

  async *#cutAndDelete(): AsyncGenerator<void> {
    const low = this.#most * LOW
    const idle = await idleSince(this.#store, Date.now() - IDLE.cut)
    yield
    for (const each of idle) {
      if (this.#weights.known <= low) break
      yield* this.#cut(each)
    }
    yield* this.#weights.readChanged()
    for (const { thread, partition, updatedAt } of idle) {
      if (this.#weights.known <= low || updatedAt > Date.now() - IDLE.deleted) break
      if (!(await deleteThread(this.#store, { thread }, mayBeDeleted, 'here'))) continue
      this.#deleted.push(thread)
      await this.#weights.read(partition)
      yield
    }
    this.tell()
  }

  /** Says what was deleted since it last did. */
  tell(): void {
    const deleted = this.#deleted.splice(0)
    if (deleted.length > 0) this.#store.warn(this.#told(deleted))
  }

  async *#cut({ thread, partition }: IdleThread): AsyncGenerator<void> {
    const { threads } = await readFamily(this.#store, partition)
    const own = threads.filter(({ facts }) => facts.thread === thread && facts.retention !== false)
    for (const { facts } of own) {
      const at = { partition, place: { thread, namespace: facts.namespace } }
      for (let left = 1; left > 0;) {
        const reply = await letGo(this.#store, at, { keepLast: 1, keepLabelled: true }, { all: true })
        this.#weights.freed(partition, reply.bytes)
        left = reply.left
        yield
      }
    }
  }

  #told(deleted: readonly string[]): CheckpointerError {
    const names = deleted.slice(0, MOST_NAMES).map((thread) => `'${thread}'`)
    const others = deleted.length > names.length ? ` and ${deleted.length - names.length} more` : ''
    const message = `Deleted, to stay below retention.maxBytes (${this.#most}): ${names.join(', ')}${others}.`
    return new CheckpointerError('QUOTA', message)
  }

  #tooMuch(): CheckpointerError {
    return new CheckpointerError(
      'QUOTA',
      `All threads together weigh ${this.#weights.known} bytes, more than retention.maxBytes (${this.#most}), and none is idle that may be cut down or deleted.`,
    )
  }
}

/** As it is at that moment: nobody has come back to it, or is waited for, and all that it had a label on is gone. */
const mayBeDeleted = (own: readonly ThreadRow[], labels: number): boolean =>
  labels === 0 &&
  own.every(({ facts: { retention, run, updatedAt, wrote = 0 } }) => {
    // A run writes down its steps, also where it saves nothing for long.
    const last = Math.max(updatedAt, wrote, run?.at ?? 0)
    const isIdle = last <= Date.now() - (run?.status === 'running' ? IDLE.running : IDLE.deleted)
    return isIdle && retention !== false && run?.status !== 'waiting'
  })
