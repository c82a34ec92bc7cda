import { CheckpointerError } from '../../errors.ts'
import { randomName } from '../../platform/random.ts'
import { withPatience } from './patience.ts'

export interface CallsOptions {
  /** Done before the first call, and by the next one when it has failed. */
  prepare?(): Promise<void>
  /** Nothing was done, and it may be tried again. */
  isBusy?(error: unknown): boolean
  /** What an engine's error means to callers. */
  coded(error: unknown): CheckpointerError
}

/** For adapters: a storage is closed with its checkpointer, for good. Who has given it to two of them is told why. */
export const storageClosed = (): CheckpointerError =>
  new CheckpointerError(
    'CLOSED',
    'This storage is closed, as the checkpointer that had it was: make another one.',
  )

/** For adapters: the calls of one storage over an engine, from the one that opens it to the one that closes it. */
export class Calls {
  readonly #options: CallsOptions
  readonly #running = new Set<Promise<unknown>>()
  #opening: Promise<void> | undefined
  #isClosed = false

  constructor(options: CallsOptions) {
    this.#options = options
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw storageClosed()
    const { isBusy = () => false, coded } = this.#options
    const running = withPatience(isBusy, async () => {
      await this.#prepared()
      return work()
    })
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      throw coded(error)
    } finally {
      this.#running.delete(running)
    }
  }

  /** What no caller waits for; when it fails, another call does it. */
  behind(work: Promise<void>): void {
    const running = work.catch(() => {}).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves when nothing is done any more for the calls before this one. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  #prepared(): Promise<void> {
    this.#opening ??= this.#prepare().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #prepare(): Promise<void> {
    await this.#options.prepare?.()
  }
}

/** Gives out versions of rows: no other storage over the same data gives one of them. */
export function versionMaker(): () => string {
  const id = randomName(12)
  let commits = 0
  return () => `${id}.${(++commits).toString(36)}`
}
