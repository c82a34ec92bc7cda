import { CheckpointerError } from '../../../errors.ts'
import { DATABASE_PARTITION, importKey, importPartitions } from '../../../storage/keys.ts'
import type { Key, Row } from '../../../storage/storage.ts'
import { openMeta, type ImportFacts } from '../../rows/meta-row.ts'
import { seal } from '../../rows/seal.ts'
import type { Store } from '../../store/store.ts'
import { unlessDamaged } from '../../store/unread.ts'

/** After this an import that gives no sign of life is dead: its page is gone, or its worker. */
export const DEAD_AFTER = 10 * 60 * 1000
const SIGN_EVERY = DEAD_AFTER / 20

/**
 * The row that says that an import is under way. While it is staged, whoever finds it without a sign of life clears
 * up; once it is publishing, whoever opens the database goes on with it. Each step checks that the last was ours.
 */
export class ImportRow {
  readonly id: string
  readonly #store: Store
  readonly #key: Key
  #version: string | undefined
  #at = 0
  #isLeft = false
  #isDecided = false

  constructor(store: Store, id: string, version?: string) {
    this.#store = store
    this.id = id
    this.#key = importKey(id)
    this.#version = version
  }

  /** All of it is to be seen, whatever happens from here on. */
  get isDecided(): boolean {
    return this.#isDecided
  }

  /** It is given up here: it cannot be decided any more, unless that is being written in this moment. */
  leave(): void {
    this.#isLeft = true
  }

  async decide(): Promise<void> {
    await this.put('publishing')
    this.#isDecided = true
  }

  async put(state: ImportFacts['state']): Promise<void> {
    // Who clears up marks it by this object too: the version alone would let it go on.
    if (this.#isLeft || !(await this.mark(state))) throw givenUp()
  }

  /** Whether it was still as this one has left it: else somebody else goes on with it. */
  async mark(state: ImportFacts['state']): Promise<boolean> {
    this.#at = Date.now()
    const head = seal(DATABASE_PARTITION, 'meta', this.#key, { state, at: this.#at } satisfies ImportFacts)
    const result = await this.#store.storage.commit(DATABASE_PARTITION, {
      checks: [{ table: 'meta', key: this.#key, version: this.#version }],
      puts: [{ table: 'meta', key: this.#key, head }],
    })
    if (result.ok) this.#version = result.version
    return result.ok
  }

  /** Says from time to time that the import goes on. */
  async sign(): Promise<void> {
    if (Date.now() - this.#at > SIGN_EVERY) await this.put('staging')
  }

  async remove(): Promise<void> {
    await this.#store.storage.commit(DATABASE_PARTITION, {
      checks: [{ table: 'meta', key: this.#key, version: this.#version }],
      deletes: [{ table: 'meta', key: this.#key }],
    })
  }
}

export const givenUp = (): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    'The import was given up elsewhere, as it seemed to have stopped. Start it again.',
  )

export const openImport = (row: Row): ImportFacts | undefined =>
  unlessDamaged(() => openMeta('import', DATABASE_PARTITION, row))

const PAGE = 100

/** The partitions of an import, as far as there is anything in them. */
export async function* partitionsOf(store: Store, id: string): AsyncGenerator<string> {
  const start = importPartitions(id)
  for (let after = start; ;) {
    const found = await store.storage.partitions({ after, limit: PAGE })
    for (const partition of found) {
      if (!partition.startsWith(start)) return
      yield partition
    }
    if (found.length < PAGE) return
    after = found.at(-1) as string
  }
}
