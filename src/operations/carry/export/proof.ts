import type { Pause } from '../../../state/slices/pause.ts'
import { parseBody } from '../../frames/frames.ts'
import { Growth } from '../../frames/growth.ts'
import { readState, RecentStates, type HeldState } from '../../frames/recent-states.ts'
import type { CheckpointFacts } from '../../rows/checkpoint-row.ts'
import type { Segment } from '../../rows/lanes.ts'
import type { Store } from '../../store/store.ts'

/** An export is to take little memory; what many forks begin at stays all the same. */
const MOST_BYTES = 2 * 1024 * 1024

/** A checkpoint as it goes into the file. */
export interface Exported {
  readonly lane: string
  readonly facts: CheckpointFacts
  readonly base?: readonly [lane: string, seq: number] | undefined
  readonly body: Uint8Array
}

/**
 * Whether each state can be built of what goes into the file: an import refuses the whole for one that cannot, and a
 * row may be undamaged and yet be no change of what it stands on.
 */
export class Proof {
  readonly #store: Store
  readonly #partition: string
  readonly #recent = new RecentStates(MOST_BYTES)
  readonly #growth = new Growth()

  constructor(store: Store, partition: string) {
    this.#store = store
    this.#partition = partition
  }

  /** Throws `CORRUPT`. */
  async of({ lane, facts, base, body }: Exported, lineage: readonly Segment[], pause: Pause): Promise<void> {
    const on = base && (await this.#stateAt(base, lineage, pause))
    // What it stands on has gone meanwhile: that is found out where the rows are read.
    if (base && !on) return
    const parsed = await parseBody(body, facts.seq, pause)
    const state = await this.#growth.grow(on?.state, parsed, pause)
    this.#recent.add(lane, { facts, state })
  }

  async #stateAt(
    [lane, seq]: NonNullable<Exported['base']>,
    lineage: readonly Segment[],
    pause: Pause,
  ): Promise<HeldState | undefined> {
    const recent = this.#recent.get(lane, seq)
    if (recent) return recent
    const found = await readState(this.#store, this.#partition, lineage, lane, seq, pause)
    if (found) this.#recent.add(lane, found)
    return found
  }
}
