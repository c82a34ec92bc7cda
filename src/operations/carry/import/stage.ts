import { CheckpointerError } from '../../../errors.ts'
import { allRows, FAMILY_KEY } from '../../../storage/keys.ts'
import { bytesOf, TABLES, type Key, type Put } from '../../../storage/storage.ts'
import { LOST_RACE, tryCommit } from '../../store/commit.ts'
import { openFamily, renewFamily } from '../../store/family.ts'
import type { Store } from '../../store/store.ts'
import { givenUp } from './import-row.ts'

const MOST_PUTS = 64
const MOST_BYTES = 512 * 1024

/** Writes rows into a partition that nobody knows yet, some at a time. */
export class Stage {
  readonly partition: string
  readonly #store: Store
  readonly #puts: Put[] = []
  /** Checkpoints that pending writes belong to. */
  readonly #needed = new Map<string, Key>()
  #bytes = 0
  #version: string | undefined

  constructor(store: Store, partition: string) {
    this.#store = store
    this.partition = partition
  }

  async add(puts: readonly Put[]): Promise<void> {
    this.#puts.push(...puts)
    this.#bytes += puts.reduce((sum, put) => sum + bytesOf(put), 0)
    const { operations, commitBytes } = this.#store.storage.limits
    if (
      this.#puts.length >= Math.min(MOST_PUTS, operations / 2) ||
      this.#bytes >= Math.min(MOST_BYTES, commitBytes / 2)
    )
      await this.flush()
  }

  /** This checkpoint must be there when all is written that was added so far. */
  need(key: Key): void {
    this.#needed.set(JSON.stringify(key), key)
  }

  async flush(): Promise<void> {
    if (this.#puts.length > 0) await this.#commit(this.#puts.splice(0))
    this.#bytes = 0
    if (this.#needed.size === 0) return
    const keys = [...this.#needed.values()]
    this.#needed.clear()
    const [rows = []] = await this.#store.storage.read(this.partition, [{ table: 'checkpoints', keys }])
    if (rows.length < keys.length)
      throw new CheckpointerError('CORRUPT', 'The file has pending writes of a checkpoint that is not in it.')
  }

  /** The family's row comes with the first of them: as long as it is there, nobody has cleared up behind us. */
  async #commit(puts: readonly Put[]): Promise<void> {
    const first =
      this.#version === undefined
        ? [renewFamily(this.partition, openFamily(this.partition, undefined)).put]
        : []
    const result = await tryCommit(this.#store, this.partition, {
      checks: [{ table: 'meta', key: FAMILY_KEY, version: this.#version }],
      puts: [...first, ...puts],
    })
    if (result === LOST_RACE) throw await this.#whyNot()
    this.#version ??= result
  }

  async #whyNot(): Promise<CheckpointerError> {
    const [rows] = await this.#store.storage.read(this.partition, [{ table: 'meta', keys: [FAMILY_KEY] }])
    return rows?.[0]?.version === this.#version
      ? new CheckpointerError('CORRUPT', 'The file has two checkpoints with one id.')
      : givenUp()
  }
}

/** Removes all that stands in a partition. */
export async function wipe(store: Store, partition: string): Promise<void> {
  await store.storage.commit(partition, {
    deleteRanges: TABLES.map((table) => ({ table, ...allRows() })),
  })
}
