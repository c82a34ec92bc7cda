import { CheckpointerError } from '../../errors.ts'
import type { Host, Place, StoredInfo } from '../../operations/host.ts'
import { toBytes } from '../../state/json-bytes.ts'
import { nameOfPlace } from '../places.ts'
import { allOf, type CapturedSave, type Send, type Writer } from './writer.ts'

interface Turns {
  /** Settles with the latest save; never rejects. */
  latest: Promise<unknown>
  /** How many wait or are sent again, so that none may pass them. */
  held: number
  /** Names the save that was sent last. */
  sent?: string
}

/** Durability `sync`: each save is a message and a commit of its own, and resolves with it. */
export class Saves implements Writer {
  readonly #save: Host['save']
  readonly #resend: Host['save']
  readonly #pending = new Set<Promise<unknown>>()
  readonly #places = new Map<string, Turns>()

  /** `resend` is for what was accepted already, and goes on while the checkpointer closes. */
  constructor(save: Host['save'], resend: Host['save']) {
    this.#save = save
    this.#resend = resend
  }

  run<T>(place: Place, save: (send: Send) => Promise<T>): Promise<T> {
    const name = nameOfPlace(place)
    const known = this.#places.get(name)
    const turns: Turns = known ?? { latest: Promise.resolve(), held: 0 }
    const saving = save((captured) => this.#send(captured, turns, known && known.latest))
    const settled: Promise<unknown> = Promise.allSettled([turns.latest, saving]).then(() => {
      this.#pending.delete(saving)
      if (turns.latest === settled) this.#places.delete(name)
    })
    turns.latest = settled
    this.#places.set(name, turns)
    this.#pending.add(saving)
    return saving
  }

  named(_place: Place, ref: number | string): number | string {
    return ref
  }

  async flush(): Promise<void> {
    await allOf([...this.#pending])
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#pending)
  }

  async #send(
    { request, state }: CapturedSave,
    turns: Turns,
    ahead: Promise<unknown> | undefined,
  ): Promise<StoredInfo> {
    // As a rule the store's side keeps the order. But a save that has to be sent again would be overtaken, and so
    // would one ahead that may have to be, by a save whose delta does not stand or fall with it.
    const follows = request.parent === undefined && request.frame.base?.key === turns.sent
    turns.sent = request.key
    if (ahead && (!follows || turns.held > 0)) await hold(turns, () => ahead)
    let { saved } = await this.#save(request)
    // What the delta starts from is gone, by another tab's prune perhaps: then the whole state goes.
    saved ??= await hold(turns, async () => {
      return (await this.#resend({ ...request, frame: { body: toBytes(state) } })).saved
    })
    if (!saved) {
      const { thread, namespace } = request
      throw new CheckpointerError('CONFLICT', 'The state could not be placed. Try again.', {
        thread,
        namespace,
      })
    }
    return saved
  }
}

/** Marks a save that waits, or is sent again, for as long as that takes. */
async function hold<T>(turns: Turns, work: () => Promise<T>): Promise<T> {
  turns.held++
  try {
    return await work()
  } finally {
    turns.held--
  }
}
