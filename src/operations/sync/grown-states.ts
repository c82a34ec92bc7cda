import { CheckpointerError } from '../../errors.ts'
import type { Json } from '../../state/json.ts'
import { parseInSlices } from '../../state/slices/parse.ts'
import { pauses } from '../../state/slices/pause.ts'
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
  /** The one that came last: the next mostly starts from it. */
  #last: { readonly id: string; readonly key: string; readonly state: Json } | undefined

  constructor(store: Store, place: Place) {
    this.#store = store
    this.#place = place
  }

  /** Whether it is a state. Of one that starts from what is not here nothing can be told, nor is it taken. */
  async grow({ info, base, body }: SyncRow): Promise<boolean> {
    try {
      const on = base && (await this.#stateOf(base).catch(ifUnread))
      if (base && !on) return true
      const parsed = await parseInSlices(body, this.#pause)
      const state = await this.#growth.grow(on?.state, parsed, this.#pause)
      this.#last = { id: info.id, key: info.key ?? info.id, state }
      return true
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT')) throw error
      return false
    }
  }

  async #stateOf({ id, key }: NonNullable<SyncRow['base']>): Promise<{ readonly state: Json } | undefined> {
    if (this.#last?.id === id && this.#last.key === key) return this.#last
    const thread = await readThread(this.#store, this.#place)
    const row = thread && (await findCheckpoint(this.#store, thread, { id }))
    if (!row || keyOf(row.facts) !== key) return undefined
    const { partition, facts } = thread
    return readState(this.#store, partition, facts.segments, row.lane, row.seq, this.#pause)
  }
}
