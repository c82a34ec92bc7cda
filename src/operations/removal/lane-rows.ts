import { seqRange } from '../../storage/keys.ts'
import { damagedRow, openCheckpoint, type CheckpointRow } from '../rows/checkpoint-row.ts'
import { shows, stretches, type Segment } from '../rows/lanes.ts'
import { unlessDamaged, type Store } from '../store.ts'

/** All rows of some lanes, each lane read once. What is decided by them is guarded by the family's row. */
export class LaneRows {
  readonly #store: Store
  readonly #partition: string
  readonly #lanes = new Map<string, Promise<readonly CheckpointRow[]>>()

  constructor(store: Store, partition: string) {
    this.#store = store
    this.#partition = partition
  }

  /** In order of their seqs. */
  of(lane: string): Promise<readonly CheckpointRow[]> {
    const known = this.#lanes.get(lane)
    if (known) return known
    const rows = this.#read(lane)
    this.#lanes.set(lane, rows)
    return rows
  }

  async ofAll(lanes: Iterable<string>): Promise<CheckpointRow[]> {
    return (await Promise.all([...new Set(lanes)].map((lane) => this.of(lane)))).flat()
  }

  /** What a thread with these segments shows, oldest first. */
  async shownBy(segments: readonly Segment[]): Promise<CheckpointRow[]> {
    const found = await Promise.all(
      stretches(segments).map(async ({ lane, from, last }) =>
        (await this.of(lane)).filter(({ seq }) => seq >= from && seq <= last && shows(segments, lane, seq)),
      ),
    )
    return found.flat()
  }

  async #read(lane: string): Promise<readonly CheckpointRow[]> {
    const query = { table: 'checkpoints', ...seqRange(lane, 0, Number.MAX_SAFE_INTEGER - 1) } as const
    const [rows = []] = await this.#store.storage.read(this.#partition, [query])
    return rows.map((row) => unlessDamaged(() => openCheckpoint(this.#partition, row)) ?? damagedRow(row))
  }
}
