import type { Key } from '../storage.ts'
import type { LoggedPut } from './log/logged-put.ts'
import type { Holding, Shelf } from './shelf.ts'
import { logOf } from './names.ts'

const LOG = 'homes'

/**
 * Where threads live: in the log that has their own name, unless `homes.jsonl` says another. Forks do, which live with their
 * origin. A line there is put before the thread itself, so that it may lead to nothing: it is looked at where it leads.
 */
export class Homes {
  readonly #shelf: Shelf

  constructor(shelf: Shelf) {
    this.#shelf = shelf
  }

  /** The partitions that may have it: its own, and where it was last said to be. */
  async of(key: Key): Promise<string[]> {
    const own = ownOf(key)
    const said = await this.#shelf.read(LOG, LOG, async (log) => {
      const spot = log?.index.tables.find('threads', key)
      const [row] = log && spot ? await log.rows([spot]) : []
      return row?.head
    })
    return said === undefined || said === own ? [own] : [own, said]
  }

  async #has(partition: string, key: Key): Promise<boolean> {
    const log = await logOf(partition)
    return this.#shelf.glance(log, partition, (open) => open?.index.tables.find('threads', key) !== undefined)
  }

  /** Does `work` while no other thread can find a home; not when one of these lives elsewhere. */
  async claim<T>(partition: string, keys: readonly Key[], work: () => Promise<T>): Promise<T | undefined> {
    if (keys.length === 0) return work()
    return this.#shelf.hold(LOG, LOG, async (holding) => {
      for (const key of keys)
        for (const home of await this.#noted(holding, key))
          if (home !== partition && (await this.#has(home, key))) return undefined
      const puts = keys
        .filter((key) => ownOf(key) !== partition)
        .map((key) => ({ table: 'threads' as const, key, head: partition }))
      if (puts.length > 0) await this.#write(holding, { puts })
      return work()
    })
  }

  async #noted({ log }: Holding, key: Key): Promise<string[]> {
    const spot = log?.index.tables.find('threads', key)
    const rows = log && spot ? await log.rows([spot]) : []
    return [ownOf(key), ...rows.map(({ head }) => head)]
  }

  /** These have gone from a partition. */
  async release(partition: string, keys: readonly Key[]): Promise<void> {
    const others = keys.filter((key) => ownOf(key) !== partition)
    if (others.length === 0) return
    await this.#shelf.hold(LOG, LOG, async (holding) => {
      const gone: Key[] = []
      for (const key of others) {
        const [, said] = await this.#noted(holding, key)
        if (said === partition && !(await this.#has(partition, key))) gone.push(key)
      }
      if (gone.length > 0)
        await this.#write(holding, { deletes: gone.map((key) => ({ table: 'threads' as const, key })) })
    })
    await this.#shelf.tidy(LOG, LOG)
  }

  #write(
    holding: Holding,
    what: {
      readonly puts?: readonly LoggedPut[]
      readonly deletes?: readonly { table: 'threads'; key: Key }[]
    },
  ): Promise<void> {
    return holding.append({ at: new Date().toISOString(), version: crypto.randomUUID(), ...what })
  }

  remove(): Promise<void> {
    return this.#shelf.remove(LOG)
  }
}

/** A key of `threads` begins with what is the partition of a thread that is no fork. */
const ownOf = ([thread]: Key): string => thread as string
