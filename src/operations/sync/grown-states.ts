import { CheckpointerError } from '../../errors.ts'
import { fold, parseDelta } from '../../state/delta.ts'
import type { Json } from '../../state/json.ts'
import { parseInSlices } from '../../state/slices/parse.ts'
import { pauses } from '../../state/slices/pause.ts'
import { Soundness } from '../../state/sound.ts'
import { readFrames } from '../frames/frames.ts'
import type { Place, SyncRow } from '../host.ts'
import { keyOf } from '../rows/checkpoint-row.ts'
import { findCheckpoint } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import { readThread } from '../store/threads.ts'
import { ifUnread } from '../store/unread.ts'

/** The states of rows that come from elsewhere, each grown from the one that it starts from: that it can be is no matter of course. */
export class GrownStates {
  readonly #store: Store
  readonly #place: Place
  readonly #pause = pauses()
  #soundness = new Soundness()
  /** The one that came last: the next mostly starts from it. */
  #last: { readonly id: string; readonly key: string; readonly state: Json } | undefined

  constructor(store: Store, place: Place) {
    this.#store = store
    this.#place = place
  }

  /** Whether it is a state. Of one that starts from what is not here nothing can be told, nor is it taken. */
  async grow({ info, base, body }: SyncRow): Promise<boolean> {
    try {
      const parsed = await parseInSlices(body, this.#pause)
      const on = base && (await this.#stateOf(base).catch(ifUnread))
      if (base && !on) return true
      const state = on ? fold(on.state, parseDelta(parsed)) : parsed
      await this.#soundness.check(state, this.#pause)
      this.#last = { id: info.id, key: info.key ?? info.id, state }
      return true
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT')) throw error
      this.#soundness = new Soundness()
      return false
    } finally {
      await this.#pause()
    }
  }

  async #stateOf({ id, key }: NonNullable<SyncRow['base']>): Promise<{ readonly state: Json } | undefined> {
    if (this.#last?.id === id && this.#last.key === key) return this.#last
    const thread = await readThread(this.#store, this.#place)
    const row = thread && (await findCheckpoint(this.#store, thread, { id }))
    if (!row || keyOf(row.facts) !== key) return undefined
    const { partition, facts } = thread
    const frames = await readFrames(this.#store, partition, facts.segments, row.facts.frame.root, row.seq)
    return { state: await frames.state(row.lane, row.seq, this.#pause) }
  }
}
