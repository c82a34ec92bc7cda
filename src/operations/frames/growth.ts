import { fold, parseDelta } from '../../state/delta.ts'
import type { Json } from '../../state/json.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { Soundness } from '../../state/sound.ts'

/** States, each grown from another or by itself: whether a body is one, or a change that fits, is no matter of course. */
export class Growth {
  readonly #soundness = new Soundness()

  /** `parsed` is a change where there is a base. Throws `CORRUPT`. */
  async grow(base: Json | undefined, parsed: Json, pause: Pause): Promise<Json> {
    const state = base === undefined ? parsed : fold(base, parseDelta(parsed))
    await this.#soundness.check(state, pause)
    return state
  }
}
