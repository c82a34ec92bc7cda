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

/** The states of rows that come from elsewhere, one after the other. */
export class GrownStates {
  readonly #store: Store
  readonly #place: Place
  readonly #pause = pauses()
  readonly #growth = new Growth()
  /** Of the rows so far, by what a change names as its base; they share most of what they hold. The first may be let go. */
  readonly #grown = new Map<string, Json | undefined>()

  readonly #kept: string[] = []

  constructor(store: Store, place: Place) {
    this.#store = store
    this.#place = place
  }

  /** Whether it is a state. Of one that starts from what is not here only what it puts in can be told; nor is it taken. */
  async grow({ info: { id, key = id }, base, body }: SyncRow): Promise<boolean> {
    try {
      const parsed = await parseInSlices(body, this.#pause)
      const on = base && (await this.#stateOf(base))
      if (base && on === undefined) await checkDelta(parseDelta(parsed), this.#pause)
      else this.#keep(named(id, key), await this.#growth.grow(on, parsed, this.#pause))
      return true
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT')) throw error
      return false
    }
  }

  async #stateOf({ id, key }: NonNullable<SyncRow['base']>): Promise<Json | undefined> {
    const grown = this.#grown.get(named(id, key))
    if (grown !== undefined) return grown
    // No store of ours sends so many at once.
    if (this.#grown.has(named(id, key)))
      throw new CheckpointerError('CORRUPT', 'a row starts from one too far before it')
    return this.#stored(id, key).catch(ifUnread)
  }

  async #stored(id: string, key: string): Promise<Json | undefined> {
    const thread = await readThread(this.#store, this.#place)
    const row = thread && (await findCheckpoint(this.#store, thread, { id }))
    if (!row || keyOf(row.facts) !== key) return undefined
    const { partition, facts } = thread
    const held = await readState(this.#store, partition, facts.segments, row.lane, row.seq, this.#pause)
    if (held) this.#keep(named(id, key), held.state)
    return held?.state
  }

  #keep(name: string, state: Json): void {
    this.#grown.set(name, state)
    const [oldest] = this.#kept.length < MOST_KEPT ? [] : this.#kept.splice(0, 1)
    this.#kept.push(name)
    if (oldest !== undefined) this.#grown.set(oldest, undefined)
  }
}

const MOST_KEPT = 256

const named = (id: string, key: string): string => JSON.stringify([id, key])
