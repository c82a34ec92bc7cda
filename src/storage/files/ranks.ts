import { compareKeys, type Key, type ListQuery } from '../storage.ts'
import { someAtATime } from '../../platform/some-at-a-time.ts'
import { ifThere, type FileSystem } from './file-system.ts'
import type { LogIndex } from './log/log-index.ts'

export interface Ranked {
  readonly log: string
  readonly key: Key
  readonly rank: number
}

/** A log that is looked into is an open file, and up to a megabyte of it in memory. */
export const LOGS_AT_A_TIME = 16

interface Seen {
  /** Of the file: changes whenever it is written to. */
  readonly stamp: string
  readonly ranked: readonly Ranked[]
}

/** The ranks of all threads, read again of those logs that have changed since. */
export class Ranks {
  readonly #fs: FileSystem
  readonly #seen = new Map<string, Seen>()

  constructor(fs: FileSystem) {
    this.#fs = fs
  }

  /** Those behind a cursor, in the order of a list. `look` gives what is in a log. */
  async after(
    logs: readonly { readonly log: string; readonly path: string }[],
    look: (log: string) => Promise<LogIndex | undefined>,
    { after }: Pick<ListQuery, 'after'>,
  ): Promise<Ranked[]> {
    const names = new Set(logs.map(({ log }) => log))
    for (const log of this.#seen.keys()) if (!names.has(log)) this.#seen.delete(log)
    const all = await someAtATime(logs, LOGS_AT_A_TIME, ({ log, path }) => this.#of(log, path, look))
    return all
      .flat()
      .filter(
        ({ rank, key }) =>
          !after || rank < after.rank || (rank === after.rank && compareKeys(key, after.key) > 0),
      )
      .sort((a, b) => b.rank - a.rank || compareKeys(a.key, b.key))
  }

  async #of(
    log: string,
    path: string,
    look: (log: string) => Promise<LogIndex | undefined>,
  ): Promise<readonly Ranked[]> {
    const found = await ifThere(this.#fs.stat(path))
    if (!found) return []
    // Looked at before the file is read: what comes in between is read once more.
    const stamp = `${found.ino} ${found.size} ${found.mtimeMs}`
    const seen = this.#seen.get(log)
    if (seen?.stamp === stamp) return seen.ranked
    const index = await look(log)
    const ranked = (index?.tables.all('threads') ?? []).flatMap(({ key, rank }) =>
      rank === undefined ? [] : [{ log, key, rank }],
    )
    this.#seen.set(log, { stamp, ranked })
    return ranked
  }
}
