import { onlyReads, type Verb } from '../operations/verbs.ts'
import { touchedBy } from '../remote/touched.ts'

/** Whoever holds a lease must not wait behind what is done under it. */
const AT_ONCE: ReadonlySet<Verb> = new Set<Verb>(['takeLease', 'keepLease', 'dropLease', 'leaseSign'])

/**
 * Requests over HTTP overtake one another. Here what changes a thread is sent when all before it is answered, and what
 * reads one when all changes before it are: as if there were one line to the other side.
 */
export class Order {
  /** Of each thread: settled when all changes asked for so far are answered. */
  readonly #changes = new Map<string, Promise<unknown>>()

  async run<T>(verb: Verb, request: unknown, send: () => Promise<T>): Promise<T> {
    if (AT_ONCE.has(verb)) return send()
    const touched = touchedBy(verb, request)
    const threads = 'threads' in touched ? touched.threads : [...this.#changes.keys()]
    const before = Promise.allSettled(threads.flatMap((thread) => this.#changes.get(thread) ?? []))
    const answer = before.then(send)
    if (!onlyReads(verb)) this.#add(threads, answer)
    return answer
  }

  #add(threads: readonly string[], answer: Promise<unknown>): void {
    const settled = answer.then(
      () => {},
      () => {},
    )
    for (const thread of threads) {
      this.#changes.set(thread, settled)
      void settled.then(() => {
        if (this.#changes.get(thread) === settled) this.#changes.delete(thread)
      })
    }
  }
}
