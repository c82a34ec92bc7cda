/** The runs of this tab, and the note that each leaves behind so that a reload can pick it up. */
import { CheckpointerError, type CheckpointInfo, type Lease } from 'forkpoint'
import { runAgent, type AgentThread, type Ending, type RunOptions } from './agent.ts'

/** A tab that is reloaded gives its lease back a moment later. */
const PATIENCE_MS = 1000

export type Outcome = Ending | 'elsewhere' | 'nothing'

export interface RunListener {
  /** Something about a run has changed. */
  readonly onChange: () => void
  /** A run goes on that was cut off there; `isOwn`: it was this tab's. */
  readonly onResume: (head: CheckpointInfo, isOwn: boolean) => void
}

export class Runs {
  readonly #going = new Map<string, AbortController>()
  /** Those of them that have the lease, with the last step that each has saved. */
  readonly #steps = new Map<string, number | undefined>()
  /** Whose lease another tab has. */
  readonly #elsewhere = new Set<string>()
  readonly #listener: RunListener

  constructor(listener: RunListener) {
    this.#listener = listener
  }

  isGoing(thread: string): boolean {
    return this.#steps.has(thread)
  }

  isElsewhere(thread: string): boolean {
    return this.#elsewhere.has(thread)
  }

  /** The last step that a run of this tab has saved. */
  stepOf(thread: string): number | undefined {
    return this.#steps.get(thread)
  }

  stop(thread: string): void {
    this.#going.get(thread)?.abort()
  }

  start(thread: AgentThread): Promise<Outcome> {
    return this.#run(thread, crypto.randomUUID(), false)
  }

  /** Goes on with a run that was cut off, if there is one. */
  async resume(thread: AgentThread): Promise<Outcome> {
    const runId = note.read(thread.id)
    return runId === null ? 'nothing' : this.#run(thread, runId, true)
  }

  /** Somebody else runs it, perhaps: waits until nobody does. The handle is to be one that nothing else is done with. */
  async watch(thread: AgentThread): Promise<void> {
    const { id } = thread
    if (this.#going.has(id) || this.#elsewhere.has(id)) return
    this.#elsewhere.add(id)
    this.#listener.onChange()
    try {
      const lease = await thread.lease()
      await lease.release()
    } finally {
      this.#elsewhere.delete(id)
      this.#listener.onChange()
    }
  }

  async #run(thread: AgentThread, runId: string, isResumed: boolean): Promise<Outcome> {
    const { id } = thread
    if (this.#going.has(id)) return 'nothing'
    const controller = new AbortController()
    this.#going.set(id, controller)
    try {
      const lease = await leaseOf(thread)
      if (!lease) return 'elsewhere'
      try {
        return await this.#work(thread, isResumed, { runId, signal: controller.signal })
      } finally {
        await lease.release()
      }
    } finally {
      this.#going.delete(id)
      this.#steps.delete(id)
      this.#listener.onChange()
    }
  }

  async #work(thread: AgentThread, isResumed: boolean, options: RunOptions): Promise<Outcome> {
    const { id } = thread
    try {
      const head = await thread.load()
      if (isResumed && !head?.next?.length) return 'nothing'
      if (isResumed && head) this.#listener.onResume(head, note.isOwn(id, options.runId))
      this.#steps.set(id, head?.step)
      this.#listener.onChange()
      note.write(id, options.runId)
      return await runAgent(thread, head, {
        ...options,
        onStep: ({ step }) => {
          this.#steps.set(id, step)
          this.#listener.onChange()
        },
      })
    } finally {
      note.remove(id)
    }
  }
}

/** Of all tabs, one runs a thread at a time; nothing when another one keeps its lease. */
async function leaseOf(thread: AgentThread): Promise<Lease | undefined> {
  try {
    return await thread.lease({ wait: PATIENCE_MS })
  } catch (error) {
    if (CheckpointerError.is(error, 'BLOCKED')) return undefined
    throw error
  }
}

const keyOf = (thread: string): string => `forkpoint-demo:run:${thread}`

/** Which run of a thread is going. It outlives the page when nothing has ended the run; its tab notes it too. */
const note = {
  read: (thread: string) => localStorage.getItem(keyOf(thread)),
  write(thread: string, runId: string) {
    localStorage.setItem(keyOf(thread), runId)
    sessionStorage.setItem(keyOf(thread), runId)
  },
  remove(thread: string) {
    localStorage.removeItem(keyOf(thread))
    sessionStorage.removeItem(keyOf(thread))
  },
  isOwn: (thread: string, runId: string) => sessionStorage.getItem(keyOf(thread)) === runId,
}
