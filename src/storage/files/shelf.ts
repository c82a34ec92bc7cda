import type { CheckpointerError } from '../../errors.ts'
import { Turns } from '../../platform/turns.ts'
import { isNoEntry } from './file-system.ts'
import type { Entry } from './log/line.ts'
import { Locks, type Held } from './lock/lock.ts'
import type { OpenLog } from './log/log.ts'
import { mend } from './log/mend.ts'
import { fileOf } from './names.ts'
import { Opened } from './log/opened.ts'
import { append, rewrite, sweep, type Desk } from './log/write.ts'

/** A log is written anew when more of it has gone than is left, and this much. */
const WORTH_IT = 1 << 20

/** One log, under its lock. */
export interface Holding {
  /** Nothing when there is none. It is whole. */
  readonly log: OpenLog | undefined
  append(content: Omit<Entry, 'n'>): Promise<void>
  /** Fails when others have taken the lock: to be asked before anything is taken away or replaced. */
  readonly confirm: () => Promise<void>
}

/** The logs of a folder: read by anybody, written by who has a log's lock. */
export class Shelf {
  readonly #desk: Desk
  readonly #opened: Opened
  readonly #locks: Locks
  readonly #tell: (warning: CheckpointerError) => void
  /** In one process they take turns by themselves, which is quicker. */
  readonly #turns = new Turns()

  constructor(desk: Desk, tell: (warning: CheckpointerError) => void) {
    this.#desk = desk
    this.#opened = new Opened(desk.fs)
    this.#locks = new Locks(desk.fs, `${desk.folder}/locks`)
    this.#tell = tell
  }

  pathOf(name: string): string {
    return `${this.#desk.folder}/${fileOf(name)}`
  }

  /** Does something with a log as it is now; with nothing where there is none. */
  async read<T>(
    name: string,
    partition: string | undefined,
    work: (log: OpenLog | undefined) => Promise<T> | T,
  ): Promise<T> {
    const log = await this.#opened.open(this.pathOf(name), partition)
    // A tail may be one that is being written: it is looked at once, when the log is new to this process.
    const isWhole = !log?.isDamaged && !(log?.isNew && log.hasTail)
    const known = partition ?? log?.index.header?.partition
    if (isWhole || known === undefined) return using(log, work)
    await log?.close()
    return this.hold(name, known, ({ log: mended }) => Promise.resolve(work(mended)))
  }

  /** The same, of a log that is not whole with what is whole of it: for who holds another log, and so may not wait for this. */
  async glance<T>(
    name: string,
    partition: string,
    work: (log: OpenLog | undefined) => Promise<T> | T,
  ): Promise<T> {
    const log = await this.#opened.open(this.pathOf(name), partition)
    // It stays new to this process: who reads it next looks at its tail.
    if (log?.isNew && log.hasTail) this.#opened.forget(log.path)
    return using(log, work)
  }

  /** Does something with a log that nobody else writes to meanwhile. */
  hold<T>(name: string, partition: string, work: (holding: Holding) => Promise<T>): Promise<T> {
    return this.#locked(name, async (held) =>
      using(await this.#whole(name, partition, held), (log) =>
        work({
          log,
          append: (content) => this.#append(name, partition, log, content, held),
          confirm: held.confirm,
        }),
      ),
    )
  }

  #locked<T>(name: string, work: (held: Held) => Promise<T>): Promise<T> {
    return this.#turns.take(name, async () => {
      const held = await this.#locks.acquire(name)
      try {
        if (held.isTakenOver) await sweep(this.#desk, this.pathOf(name))
        return await work(held)
      } finally {
        await held.release()
      }
    })
  }

  async #append(
    name: string,
    partition: string,
    log: OpenLog | undefined,
    content: Omit<Entry, 'n'>,
    held: Held,
  ): Promise<void> {
    await held.confirm()
    try {
      await append(this.#desk, this.pathOf(name), partition, log, content)
    } catch (error) {
      this.#opened.forget(this.pathOf(name))
      throw error
    }
  }

  async #whole(name: string, partition: string, held: Held): Promise<OpenLog | undefined> {
    const path = this.pathOf(name)
    const log = await this.#opened.open(path, partition)
    if (!log || (!log.isDamaged && !log.hasTail)) return log
    await using(log, () => mend(this.#desk, partition, log, held.confirm, this.#tell))
    this.#opened.forget(path)
    return this.#opened.open(path, partition)
  }

  /** Takes little room, if it is worth it: without rows none at all. */
  async tidy(name: string, partition: string): Promise<void> {
    await this.hold(name, partition, async ({ log, confirm }) => {
      if (!log || !isWasteful(log)) return
      if (log.index.tables.size === 0) {
        await confirm()
        await this.#desk.fs.unlink(log.path)
      } else await rewrite(this.#desk, partition, log, confirm)
      this.#opened.forget(log.path)
    })
  }

  /** Takes a log away, whatever is in it. */
  async remove(name: string): Promise<void> {
    await this.#locked(name, async (held) => {
      await held.confirm()
      await this.#desk.fs.unlink(this.pathOf(name)).catch(ignoreNoEntry)
      this.#opened.forget(this.pathOf(name))
    })
  }
}

export const isWasteful = ({ index }: OpenLog): boolean =>
  index.tables.size === 0 || (index.end > 2 * index.weight && index.end - index.weight > WORTH_IT)

async function using<T>(
  log: OpenLog | undefined,
  work: (log: OpenLog | undefined) => Promise<T> | T,
): Promise<T> {
  try {
    return await work(log)
  } finally {
    await log?.close()
  }
}

const ignoreNoEntry = (error: unknown): void => {
  if (!isNoEntry(error)) throw error
}
