import type { Json } from '../../state/json.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { checkpointKey } from '../../storage/keys.ts'
import { readFrames } from './frames.ts'
import { openCheckpoint, type CheckpointFacts } from '../rows/checkpoint-row.ts'
import type { Segment } from '../rows/lanes.ts'
import type { Store } from '../store/store.ts'

export interface HeldState {
  readonly facts: CheckpointFacts
  readonly state: Json
}

const MOST_HELD = 32
const MOST_BYTES = 32 * 1024 * 1024

/** The states that came last: what comes next mostly stands on one of them. Others are read again. */
export class RecentStates {
  readonly #held = new Map<string, HeldState>()
  readonly #most: number
  #bytes = 0

  /** `most`: of all states that are held, in bytes, as if they shared nothing. The last two stay, whatever they weigh. */
  constructor(most = MOST_BYTES) {
    this.#most = most
  }

  add(lane: string, held: HeldState): void {
    const name = `${lane}/${held.facts.seq}`
    const before = this.#held.get(name)
    this.#held.set(name, held)
    this.#bytes += weightOf(held) - (before ? weightOf(before) : 0)
    for (const [first, oldest] of this.#held) {
      if (this.#held.size <= 2 || (this.#held.size <= MOST_HELD && this.#bytes <= this.#most)) return
      this.#held.delete(first)
      this.#bytes -= weightOf(oldest)
    }
  }

  get(lane: string, seq: number): HeldState | undefined {
    const name = `${lane}/${seq}`
    const held = this.#held.get(name)
    // What many stand on stays.
    if (held && this.#held.delete(name)) this.#held.set(name, held)
    return held
  }
}

const weightOf = ({ facts: { frame } }: HeldState): number => frame.whole + frame.chain

/** A state out of rows that were written before. */
export async function readState(
  store: Store,
  partition: string,
  lineage: readonly Segment[],
  lane: string,
  seq: number,
  pause: Pause,
): Promise<HeldState | undefined> {
  const [found] = await store.storage.read(partition, [
    { table: 'checkpoints', keys: [checkpointKey(lane, seq)] },
  ])
  if (!found?.[0]) return undefined
  const { facts } = openCheckpoint(partition, found[0])
  const rows = await readFrames(store, partition, lineage, facts.frame.root, seq)
  return { facts, state: await rows.state(lane, seq, pause) }
}
