import { hashOf } from '../adapter/short-name.ts'
import { compareKeys, type Key, type Range, type Table } from '../storage.ts'
import type { KvKey } from './kv.ts'

/**
 * Every entry that is ever written; `partition` is the short form of its name.
 *
 * | key                                            | value                    |                                  |
 * | ---------------------------------------------- | ------------------------ | -------------------------------- |
 * | prefix, 'row', partition, table, …the row's key | head, body, alias, rank | a row; its version is the stamp  |
 * | prefix, 'id', partition, …alias                | the key of a checkpoint  | leads to the row                 |
 * | prefix, 'thread', …key                         | a partition's name       | where a row of `threads` lives   |
 * | prefix, 'rank', 0 - rank, …key                 | a partition's name       | for `list`                       |
 * | prefix, 'revision', a partition's whole name   | a token of the commit    | renewed by each commit           |
 * | prefix, 'sweep', a partition's whole name      | ranges                   | a removal that is under way      |
 */
export class Places {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  row({ short }: Partition, table: Table, key: Key): KvKey {
    return [this.#prefix, 'row', short, table, ...key]
  }

  /** Nothing when the range holds nothing: the engine calls an inverted one an error. */
  rows({ short }: Partition, table: Table, { from, to }: Range): KvRange | undefined {
    if (to.length === 0 || compareKeys(from, to) >= 0) return undefined
    const all = [this.#prefix, 'row', short, table] as const
    return { start: [...all, ...from], end: [...all, ...to] }
  }

  /** Over all of its tables. */
  anyRow({ short }: Partition): KvRange {
    return within([this.#prefix, 'row', short])
  }

  alias({ short }: Partition, alias: Key): KvKey {
    return [this.#prefix, 'id', short, ...alias]
  }

  thread(key: Key): KvKey {
    return [this.#prefix, 'thread', ...key]
  }

  rank(rank: number, key: Key): KvKey {
    return [this.#prefix, 'rank', 0 - rank, ...key]
  }

  /** Ranks behind a cursor. A key that is whole is left out itself, one that is shorter comes before its own. */
  ranks(after?: { readonly rank: number; readonly key: Key }): KvRange {
    const all = within([this.#prefix, 'rank'])
    if (!after) return all
    const cursor = this.rank(after.rank, after.key)
    return { ...all, start: after.key.length < 2 ? cursor : [...cursor, FIRST] }
  }

  revision({ name }: Partition): KvKey {
    return [this.#prefix, 'revision', name]
  }

  revisions(after?: string): KvRange {
    const all = within([this.#prefix, 'revision'])
    return after === undefined ? all : { ...all, start: [this.#prefix, 'revision', after, FIRST] }
  }

  sweep({ name }: Partition): KvKey {
    return [this.#prefix, 'sweep', name]
  }

  sweeps(): KvRange {
    return within([this.#prefix, 'sweep'])
  }
}

export interface KvRange {
  readonly start: KvKey
  readonly end: KvKey
}

/** What is in a row's key, and where more would not leave the row its own. */
export interface Partition {
  readonly name: string
  readonly short: string
}

/** A key part that is lower than any string and any number. */
const FIRST = new Uint8Array()
/** Comes after every text of ours, and after every number there is none. */
const within = (start: KvKey): KvRange => ({
  start: [...start, FIRST],
  end: [...start, Number.POSITIVE_INFINITY],
})

const MOST_IN_KEYS = 64

/** A name that is long stands in keys as its beginning and a hash: a key has 2 KiB in all. */
export async function partitionOf(name: string): Promise<Partition> {
  if (name.length <= MOST_IN_KEYS) return { name, short: name }
  const hash = await hashOf(name)
  // No name of ours has a tilde.
  return { name, short: `${name.slice(0, 24)}~${hash}` }
}
