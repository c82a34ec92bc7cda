import type { AnyActor, InspectionEvent, Snapshot } from 'xstate'
import type { CheckpointInfo } from '../../checkpoint.ts'
import { checkFunction, checkOptions, type Names } from '../../checkpointer/options/options.ts'
import type { SaveOptions } from '../../checkpointer/threads/types.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError, reportFailure } from '../../errors.ts'
import { copyOf, isSame } from '../shared/copy.ts'
import { Latest } from '../shared/latest.ts'
import { needThread } from '../shared/needed.ts'
import { OwnCheckpoints } from '../shared/own-checkpoints.ts'
import { originOf } from './restore.ts'

export interface KeepOptions {
  /** Hears when a snapshot could not be saved; without it that is reported as uncaught. */
  readonly onError?: ((error: CheckpointerError) => void) | undefined
  /** Hears `CONFLICT` when another runs the same actor. On the console without it. */
  readonly onWarning?: ((warning: CheckpointerError) => void) | undefined
}

export interface KeptActor {
  /** Resolves when all snapshots so far are saved; rejects when the last one cannot be. */
  flush(): Promise<void>
  /** Saves no more. The actor goes on. */
  stop(): void
}

interface Taken {
  readonly snapshot: Snapshot<unknown>
  readonly fields: SaveOptions
}

const OPTIONS: Names<KeepOptions> = { onError: true, onWarning: true }
const MOST_TEXT = 1024

/**
 * Saves each snapshot that the actor comes to, and those of the actors in it. To be called before `actor.start()`. That
 * it has failed, or was stopped, is not saved: it goes on from what was before.
 */
export function keepActor(thread: Thread, actor: AnyActor, options: KeepOptions = {}): KeptActor {
  const keeper = new Keeper(needThread(thread), actor, checkOptions('keepActor', options, OPTIONS))
  return { flush: () => keeper.flush(), stop: () => keeper.stop() }
}

class Keeper {
  readonly #thread: Thread
  readonly #actor: AnyActor
  readonly #latest: Latest<Taken>
  readonly #onError: (error: CheckpointerError) => void
  readonly #onWarning: (warning: CheckpointerError) => void
  readonly #own = new OwnCheckpoints()
  readonly stop: () => void
  /** A copy of what was saved last, or of what the actor began with. */
  #last: unknown
  /** A checkpoint of an earlier time, which the first that can be saved continues. */
  #parent: string | undefined
  /** The save that continues it, while it is under way. */
  #branching: Promise<unknown> | undefined
  #head: string | undefined
  #isDue = false
  #isRefused = false

  constructor(thread: Thread, actor: AnyActor, { onError, onWarning }: KeepOptions) {
    checkFunction('onError', onError)
    checkFunction('onWarning', onWarning)
    this.#thread = thread
    this.#actor = actor
    this.#onError = onError ?? reportFailure
    this.#onWarning = onWarning ?? ((warning) => console.warn(warning))
    // Each transition is a checkpoint: one would go back to it. How many share a transaction is the durability's.
    const write = (taken: Taken): Promise<void> => this.#write(taken)
    this.#latest = new Latest({ every: 0, most: 1, write, onError: this.#onError })
    const origin = originOf(actor.options.snapshot)
    if (origin) {
      this.#last = copyOf(undefined, actor.options.snapshot)
      this.#head = origin.id
      if (!origin.isHead) this.#parent = origin.id
    }
    const inspection = actor.system.inspect((event) => this.#inspect(event))
    this.stop = () => inspection.unsubscribe()
  }

  async flush(): Promise<void> {
    this.#takeDue()
    // What had failed, and is saved by now, `onError` was told of.
    await this.#latest.flush()
  }

  #inspect(event: InspectionEvent): void {
    if (event.type !== '@xstate.snapshot') return
    if (event.actorRef === this.#actor) return this.#take(event.event.type)
    // An actor within may be in the midst of what its parent does: what they come to is seen after it.
    if (!this.#isDue) queueMicrotask(() => this.#takeDue(event.event.type))
    this.#isDue = true
  }

  #takeDue(event?: string): void {
    if (this.#isDue) this.#take(event)
  }

  #take(event: string | undefined): void {
    this.#isDue = false
    try {
      const snapshot = this.#actor.getPersistedSnapshot()
      // Stopped, as when its component is gone, it goes on from where it was, too.
      if (snapshot.status !== 'active' && snapshot.status !== 'done') return
      const copy = copyOf(this.#last, snapshot)
      if (isSame(this.#last, copy)) return
      this.#last = copy
      this.#latest.put({ snapshot, fields: fieldsOf(snapshot, event) })
      this.#isRefused = false
    } catch (cause) {
      this.#refuse(cause)
    }
  }

  /** XState knows how to persist actors of a name only. */
  #refuse(cause: unknown): void {
    if (this.#isRefused) return
    this.#isRefused = true
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `The actor cannot be persisted: ${why} Name what it invokes and spawns in setup({ actors }).`
    const error = new CheckpointerError('INVALID', message, { thread: this.#thread.id, cause })
    queueMicrotask(() => this.#onError(error))
  }

  async #write(taken: Taken): Promise<void> {
    // What comes behind the first of a branch is to follow that, or be the first itself when that has failed.
    while (this.#branching) await this.#branching
    const head = this.#head
    const saved = await (this.#parent === undefined ? this.#save(taken) : this.#branch(taken, this.#parent))
    this.#own.add(saved.id)
    this.#head = saved.id
    const isOthers = saved.parentId !== head && !this.#own.has(saved.parentId ?? '')
    if (head === undefined || !isOthers) return
    const message = `Another runs the actor of '${this.#thread.id}' too: its checkpoints and these come in turn. Take thread.lease() first.`
    const warning = new CheckpointerError('CONFLICT', message, { thread: this.#thread.id })
    queueMicrotask(() => this.#onWarning(warning))
  }

  #save({ snapshot, fields }: Taken, where: Pick<SaveOptions, 'parent'> = {}): Promise<CheckpointInfo> {
    return this.#thread.save(snapshot, { ...fields, ...where })
  }

  async #branch(taken: Taken, parent: string): Promise<CheckpointInfo> {
    const saving = this.#save(taken, { parent })
    this.#branching = saving.catch(() => {})
    try {
      const saved = await saving
      this.#parent = undefined
      return saved
    } finally {
      this.#branching = undefined
    }
  }
}

/** Where the actor is, and what brought it there; as far as a list can show it. */
function fieldsOf(snapshot: Snapshot<unknown>, event: string | undefined): SaveOptions {
  const value: unknown = 'value' in snapshot ? snapshot.value : snapshot.status
  const node = typeof value === 'string' ? value : JSON.stringify(value)
  return {
    ...(node.length <= MOST_TEXT ? { node } : {}),
    ...(event === undefined ? {} : { extra: { event } }),
  }
}
