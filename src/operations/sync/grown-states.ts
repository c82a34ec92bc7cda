import { CheckpointerError } from '../../errors.ts'
import { parseDelta } from '../../state/delta.ts'
import type { Json } from '../../state/json.ts'
import { parseInSlices } from '../../state/slices/parse.ts'
import { pauses } from '../../state/slices/pause.ts'
import { checkDelta } from '../../state/sound.ts'
import { Growth } from '../frames/growth.ts'
import { readState } from '../frames/recent-states.ts'
import type { Place, SyncRow } from '../host.ts'
import { keyOf } from '../rows/checkpoint-row.ts'
import { findCheckpoint } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'
import { ifUnread } from '../store/unread.ts'

interface Grown {
  readonly state: Json
  /** In bytes, as if it shared nothing. */
  readonly weight: number
}

/** Of all states that are held, in bytes. The last two stay, whatever they weigh. */
const MOST_BYTES = 32 * 1024 * 1024

/** The states of rows that come from elsewhere, one after the other. */
export class GrownStates {
  readonly #store: Store
  readonly #place: Place
  readonly #pause = pauses()
  readonly #growth = new Growth()
  /** By what a change names as its base. */
  readonly #grown = new Map<string, Grown>()
  #bytes = 0

  constructor(store: Store, place: Place) {
    this.#store = store
    this.#place = place
  }

  /** Whether it is a state. Of one that starts from what is neither here nor held only what it puts in can be told. */
  async grow({ info: { id, key = id }, base, body }: SyncRow): Promise<boolean> {
    try {
      const parsed = await parseInSlices(body, this.#pause)
      const on =
        base && (this.#grown.get(named(base.id, base.key)) ?? (await this.#stored(base).catch(ifUnread)))
      if (base && !on) await checkDelta(parseDelta(parsed), this.#pause)
      else {
        const state = await this.#growth.grow(on?.state, parsed, this.#pause)
        this.#hold(named(id, key), { state, weight: (on?.weight ?? 0) + body.length })
      }
      return true
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT')) throw error
      return false
    }
  }

  async #stored({ id, key }: NonNullable<SyncRow['base']>): Promise<Grown | undefined> {
    const thread = await readThread(this.#store, this.#place)
    const row = thread && (await findCheckpoint(this.#store, thread, { id }))
    if (!row || keyOf(row.facts) !== key) return undefined
    const { partition, facts } = thread
    const held = await readState(this.#store, partition, facts.segments, row.lane, row.seq, this.#pause)
    if (!held) return undefined
    const { whole, chain } = held.facts.frame
    const grown = { state: held.state, weight: whole + chain }
    this.#hold(named(id, key), grown)
    return grown
  }

  #hold(name: string, grown: Grown): void {
    this.#grown.set(name, grown)
    this.#bytes += grown.weight
    for (const [first, { weight }] of this.#grown) {
      if (this.#grown.size <= 2 || this.#bytes <= MOST_BYTES) return
      this.#grown.delete(first)
      this.#bytes -= weight
    }
  }
}

const named = (id: string, key: string): string => JSON.stringify([id, key])
