import { pauses } from '../../../state/slices/pause.ts'
import { rowName } from '../../frames/frames.ts'
import { seqRange } from '../../../storage/keys.ts'
import { bytesOf, type Key } from '../../../storage/storage.ts'
import { damagedRow, openCheckpoint, type CheckpointRow } from '../../rows/checkpoint-row.ts'
import { shows, stretches, type Segment } from '../../rows/lanes.ts'
import type { Store } from '../../store/store.ts'
import { unlessDamaged } from '../../store/unread.ts'

/** So many rows are checked in one stretch, and read at first. */
const PAGE = 64
/** At most so many are read at a time where they are small, and about so many bytes: each read is a round trip. */
const MOST = 256
const BYTES = 512 * 1024

/**
 * All rows of some lanes, without their payloads; each lane is read once, a page at a time. What is decided by them
 * is guarded by the family's row, and by that of the thread which adds to a lane.
 */
export class LaneRows {
  readonly #store: Store
  readonly #partition: string
  readonly #lanes = new Map<string, Promise<readonly CheckpointRow[]>>()
  #stale: readonly Key[] = []

  constructor(store: Store, partition: string) {
    this.#store = store
    this.#partition = partition
  }

  /** In order of their seqs. */
  of(lane: string): Promise<readonly CheckpointRow[]> {
    const known = this.#lanes.get(lane)
    if (known) return known
    const rows = this.#read(lane, 0)
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

  /** After a commit that deleted some and wrote others anew. */
  async changed(dropped: readonly CheckpointRow[], rewritten: readonly Key[]): Promise<void> {
    const gone = new Set(dropped)
    for (const [lane, rows] of this.#lanes)
      this.#lanes.set(lane, Promise.resolve((await rows).filter((row) => !gone.has(row))))
    this.#stale = [...this.#stale, ...rewritten]
  }

  /** Reads what has come since. What was read before holds as long as nobody else has removed anything. */
  async catchUp(): Promise<void> {
    const anew = await this.#readAgain()
    for (const [lane, reading] of this.#lanes) {
      const rows = await reading
      const more = await this.#read(lane, (rows.at(-1)?.seq ?? -1) + 1)
      const now = [...rows.map((row) => anew.get(rowName(lane, row.seq)) ?? row), ...more]
      this.#lanes.set(lane, Promise.resolve(now))
    }
  }

  async #readAgain(): Promise<Map<string, CheckpointRow>> {
    if (this.#stale.length === 0) return new Map()
    const query = { table: 'checkpoints', keys: this.#stale } as const
    const [rows = []] = await this.#store.storage.read(this.#partition, [query])
    this.#stale = []
    return new Map(rows.map((row) => this.#open(row)).map((row) => [rowName(row.lane, row.seq), row]))
  }

  async #read(lane: string, from: number): Promise<readonly CheckpointRow[]> {
    const all: CheckpointRow[] = []
    const pause = pauses()
    let limit = PAGE
    for (let next = from; ;) {
      const query = {
        table: 'checkpoints',
        ...seqRange(lane, next, Number.MAX_SAFE_INTEGER - 1),
        limit,
      } as const
      const [rows = []] = await this.#store.storage.read(this.#partition, [query])
      for (const [i, row] of rows.entries()) {
        if (i % PAGE === 0) await pause()
        all.push(this.#open(row))
      }
      const last = all.at(-1)
      if (!last || rows.length < limit) return all
      next = last.seq + 1
      const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0)
      limit = Math.min(MOST, Math.max(PAGE, Math.floor((BYTES * rows.length) / bytes)))
    }
  }

  #open(row: CheckpointRow['row']): CheckpointRow {
    const opened = unlessDamaged(() => openCheckpoint(this.#partition, row)) ?? damagedRow(row)
    const { body: _payload, ...rest } = row
    return { ...opened, row: rest }
  }
}
