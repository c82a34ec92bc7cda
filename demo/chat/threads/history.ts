/** The checkpoints of a thread, read once and then as they come. */
import type { Checkpointer, CheckpointInfo } from 'forkpoint'
import { Branches } from './branches.ts'

export class History {
  readonly #checkpointer: Checkpointer
  readonly #thread: string
  #known: CheckpointInfo[] = []
  #last: Promise<unknown> = Promise.resolve()

  constructor(checkpointer: Checkpointer, thread: string) {
    this.#checkpointer = checkpointer
    this.#thread = thread
  }

  /** One look after the other, so that none sees another's half. */
  branches(): Promise<Branches> {
    const look = this.#last.then(() => this.#read())
    this.#last = look.catch(() => undefined)
    return look
  }

  /** Some have gone: all is read anew. */
  forget(): void {
    this.#known = []
  }

  async #read(): Promise<Branches> {
    const newest = this.#known.at(-1)?.seq
    const options = { order: 'oldest', ...(newest === undefined ? {} : { after: newest }) } as const
    for await (const info of this.#checkpointer.thread(this.#thread).history(options)) this.#known.push(info)
    return new Branches(this.#known)
  }
}
