import { Calls, versionMaker } from '../adapter/calls.ts'
import { refuseTooLarge } from '../adapter/limits.ts'
import type {
  Batch,
  CommitResult,
  Key,
  Limits,
  ListedRow,
  ListQuery,
  Query,
  Row,
  Storage,
} from '../storage.ts'
import type { RedisDriver, RedisReply } from './driver.ts'
import { coded, isBusy, isUnsure, unknownOutcome } from './errors.ts'
import { Keys, nameOf } from './keys.ts'
import { commitArgs, listedRows, mostOf, readArgs, rowOf, rowsOf, scoreOf } from './messages.ts'
import { makeScripts, type Scripts } from './scripts.ts'

/** A script holds up all others, so that one has not too much to do. */
const LIMITS: Limits = {
  keyBytes: 4096,
  valueBytes: 8 * 1024 * 1024,
  operations: 10_000,
  commitBytes: 16 * 1024 * 1024,
}
const PAGE = 100

export class ScriptStorage implements Storage {
  readonly limits: Limits
  readonly #driver: RedisDriver
  readonly #keys: Keys
  readonly #calls = new Calls({ prepare: () => this.#prepare(), isBusy, coded })
  readonly #newVersion = versionMaker()
  #scripts: Scripts | undefined

  constructor(driver: RedisDriver, prefix: string) {
    this.limits = { ...LIMITS, ...driver.limits }
    this.#driver = driver
    this.#keys = new Keys(prefix)
  }

  async #prepare(): Promise<void> {
    this.#scripts = await makeScripts()
  }

  #run(name: keyof Scripts, keys: readonly string[], args: readonly string[]): Promise<RedisReply> {
    return this.#driver.run((this.#scripts as Scripts)[name], keys, args)
  }

  read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    return this.#calls.run(() => this.#read(partition, queries))
  }

  async #read(partition: string, queries: readonly Query[]): Promise<Row[][]> {
    if (queries.length === 0) return []
    const keys = this.#keys.ofPartition(partition)
    return rowsOf(queries, await this.#run('READ', keys, readArgs(partition, queries)))
  }

  commit(partition: string, batch: Batch): Promise<CommitResult> {
    return this.#calls.run(async () => {
      refuseTooLarge(this.limits, batch)
      const version = this.#newVersion()
      try {
        const keys = [...this.#keys.ofPartition(partition), this.#keys.noteOf(version)]
        const done = await this.#run('COMMIT', keys, commitArgs(partition, batch, version))
        return Number(done) === 1 ? { ok: true, version } : { ok: false }
      } catch (error) {
        if (!isUnsure(error)) throw error
        if (!(await this.#wasCarriedOut(partition, batch, version))) throw unknownOutcome(error)
        return { ok: true, version }
      }
    })
  }

  /** Nobody else gives a row its version. What has not arrived yet may still come, so that a no is none. */
  async #wasCarriedOut(partition: string, { puts = [] }: Batch, version: string): Promise<boolean> {
    const [put] = puts
    if (!put) return false
    const found = await this.#read(partition, [{ table: put.table, keys: [put.key] }]).catch(() => [])
    return found[0]?.[0]?.version === version
  }

  locate(key: Key): Promise<{ partition: string; row: Row } | undefined> {
    return this.#calls.run(async () => {
      const keys = [this.#keys.threads, this.#keys.threadBodies]
      const [name, head, body] = (await this.#run('LOCATE', keys, [nameOf('threads', key)])) as string[]
      if (name === undefined) return undefined
      const { row, link } = rowOf('threads', name, head as string, body as string)
      return { partition: link, row }
    })
  }

  list({ limit, after }: ListQuery): Promise<ListedRow[]> {
    return this.#calls.run(async () => {
      const keys = [this.#keys.latest, this.#keys.threads, this.#keys.threadBodies]
      const beyond = after ? [scoreOf(after.rank), nameOf('threads', after.key)] : ['', '']
      return listedRows(await this.#run('LIST', keys, [String(mostOf(limit)), ...beyond]))
    })
  }

  partitions(query: { readonly after?: string; readonly limit: number }): Promise<string[]> {
    return this.#calls.run(() => this.#partitions(query))
  }

  async #partitions({
    after,
    limit,
  }: {
    readonly after?: string
    readonly limit: number
  }): Promise<string[]> {
    const from = after === undefined ? '-' : `(p${after}`
    const names = await this.#run('PARTITIONS', [this.#keys.partitions], [from, String(mostOf(limit))])
    return (names as string[]).map((name) => name.slice(1))
  }

  /** One partition after the other: to do it all at once would hold up whoever else uses the server. */
  destroy(): Promise<void> {
    return this.#calls.run(async () => {
      for (let page: string[] | undefined; page?.length !== 0;) {
        page = await this.#partitions({ limit: PAGE })
        for (const name of page) await this.#run('DROP', this.#keys.ofPartition(name), [name])
      }
    })
  }

  /** The connection is the caller's, and stays open; nothing of this storage is done with it any more. */
  close(): Promise<void> {
    return this.#calls.close()
  }
}
