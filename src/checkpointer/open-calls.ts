import type { Host } from '../operations/host.ts'
import { mapHost } from '../operations/verbs.ts'

/** The calls of a host that are not answered yet. */
export class OpenCalls {
  readonly #calls = new Set<Promise<unknown>>()
  readonly #refuse: () => void

  /** `refuse` throws when no more calls are taken. */
  constructor(refuse: () => void) {
    this.#refuse = refuse
  }

  /** The host, with every call refused after the end, and known here until it is answered. */
  watch(host: Host): Host {
    return mapHost(host, (run, verb) => {
      // The checkpointer itself ends the host, when nothing is pending any more.
      if (verb === 'close' || verb === 'destroy') return run
      return async (request) => {
        this.#refuse()
        const call = run(request)
        const done = (): void => void this.#calls.delete(call)
        this.#calls.add(call)
        call.then(done, done)
        return call
      }
    })
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#calls)
  }
}
