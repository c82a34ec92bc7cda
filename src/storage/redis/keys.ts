import type { Key, Table } from '../storage.ts'

/** The first letter of a row's name, so that all tables of a partition are in one order. */
const LETTERS: Readonly<Record<Table, string>> = {
  threads: 't',
  checkpoints: 'c',
  parts: 'p',
  writes: 'w',
  meta: 'm',
}

/** Which parts of a key are numbers. */
const NUMBERS: Readonly<Record<Table, readonly boolean[]>> = {
  threads: [false, false],
  checkpoints: [false, true],
  parts: [false, true, false, true],
  writes: [false, true, false, true],
  meta: [false, false],
}

/** Comes before all that is printable, so that names are ordered as keys are. */
const END = '\u001f'
const DIGITS = 16

const part = (value: string | number): string =>
  (typeof value === 'number' ? String(value).padStart(DIGITS, '0') : value) + END

/** What a row is called in its partition. Of a shorter key, what the names of all begin with that begin with it. */
export const nameOf = (table: Table, key: Key): string => LETTERS[table] + key.map(part).join('')

export function keyOf(table: Table, name: string): Key {
  const parts = name.slice(1, -1).split(END)
  return NUMBERS[table].map((isNumber, i) => (isNumber ? Number(parts[i]) : (parts[i] ?? '')))
}

/** What an alias is called. */
export const aliasOf = (alias: Key): string => alias.map(part).join('')

/**
 * Where everything is. The prefix is a hash tag, so that a cluster keeps all of one database on one node: what is asked
 * over all partitions, and a thread that lives in one of them alone, could not be had otherwise.
 *
 * | key                         |        |                                                              |
 * | --------------------------- | ------ | ------------------------------------------------------------ |
 * | `{prefix}:partitions`       | zset   | names of partitions in use, with a `p` in front              |
 * | `{prefix}:threads`          | hash   | row of `threads` to version, partition and head              |
 * | `{prefix}:thread-bodies`    | hash   | row of `threads` to body                                     |
 * | `{prefix}:latest`           | zset   | rows of `threads` that are listed, by their rank, negative   |
 * | `{prefix}:order:partition`  | zset   | the rows of a partition                                      |
 * | `{prefix}:heads:partition`  | hash   | row to version, alias and head; of all tables but `threads`  |
 * | `{prefix}:bodies:partition` | hash   | row to body; the same                                        |
 * | `{prefix}:ids:partition`    | hash   | alias to row                                                 |
 * | `{prefix}:done:version`     | string | that a commit without puts was carried out, for ten minutes  |
 */
export class Keys {
  readonly partitions: string
  readonly threads: string
  readonly threadBodies: string
  readonly latest: string
  readonly #tag: string

  constructor(prefix: string) {
    this.#tag = `{${prefix}}:`
    this.partitions = `${this.#tag}partitions`
    this.threads = `${this.#tag}threads`
    this.threadBodies = `${this.#tag}thread-bodies`
    this.latest = `${this.#tag}latest`
  }

  /** All that a script about one partition may touch, in the order that its KEYS have. */
  ofPartition(partition: string): string[] {
    const own = ['order', 'heads', 'bodies', 'ids'].map((what) => `${this.#tag}${what}:${partition}`)
    return [...own, this.threads, this.threadBodies, this.latest, this.partitions]
  }

  noteOf(version: string): string {
    return `${this.#tag}done:${version}`
  }
}
