import type { Json } from '../../state/json.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { Growth } from '../frames/growth.ts'
import { missingLink, rowName, type FrameRows } from '../frames/frames.ts'

/** The states of some rows, each folded, and found to be one, once: neighbours share their chain. */
export class States {
  readonly #rows: FrameRows
  readonly #growth = new Growth()
  readonly #known = new Map<string, { readonly state: Json } | { readonly error: unknown }>()

  constructor(rows: FrameRows) {
    this.#rows = rows
  }

  /** Throws when the state cannot be read. */
  async get(lane: string, seq: number, pause: Pause): Promise<Json> {
    const links = this.#rows.chain(lane, seq)
    if (!links) throw missingLink(seq)
    let state: Json = null
    for (const link of links) {
      const name = rowName(link.lane, link.seq)
      let known = this.#known.get(name)
      if (!known) {
        try {
          const body = await this.#rows.parsed(link, pause)
          const base: Json | undefined = link.facts.frame.base ? state : undefined
          known = { state: await this.#growth.grow(base, body, pause) }
        } catch (error) {
          known = { error }
        }
        this.#known.set(name, known)
      }
      if ('error' in known) throw known.error
      state = known.state
    }
    return state
  }

  /** The lowest seq that is read for a state. */
  lowest(lane: string, seq: number): number {
    return this.#rows.chain(lane, seq)?.[0]?.seq ?? seq
  }
}
