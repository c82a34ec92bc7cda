import { nameOf, type Place } from '../places.ts'
import type { Child } from './sharing.ts'

/** Writes of a step that are not stored yet; with the child that is being put, if there is one. */
export interface Waiting {
  child?: Promise<Child | undefined>
}

/**
 * When the last task of a step is done, LangGraph calls `putWrites` and right after that puts the checkpoint that the
 * step has led to. So writes wait for a moment: what stands in that checkpoint need not be stored twice.
 */
export class Steps {
  readonly #waiting = new Map<string, Set<Waiting>>()

  /** The work is begun at once; what it is given gets a child that is put meanwhile. */
  async withWrites(place: Place, id: string, work: (writes: Waiting) => Promise<void>): Promise<void> {
    const name = stepName(place, id)
    const writes: Waiting = {}
    const all = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, all.add(writes))
    try {
      await work(writes)
    } finally {
      all.delete(writes)
      if (all.size === 0 && this.#waiting.get(name) === all) this.#waiting.delete(name)
    }
  }

  /**
   * To be called at once by who puts a child; for one without a parent nothing waits. Gives what is to be called with it, or
   * with nothing, in the end.
   */
  put(place: Place, parent: string | undefined): (child?: Child) => void {
    const waiting = this.#waiting.get(stepName(place, parent)) ?? []
    let tell: (child?: Child) => void = () => {}
    const told = new Promise<Child | undefined>((resolve) => (tell = resolve))
    for (const writes of waiting) writes.child ??= told
    return tell
  }
}

const stepName = (place: Place, id: string | undefined): string => JSON.stringify([nameOf(place), id])
