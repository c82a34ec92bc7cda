import type { Place } from '../operations/host.ts'

const placeName = ({ thread, namespace }: Place): string => JSON.stringify([thread, namespace])

interface Lane {
  /** Settles with the latest save; never rejects. */
  latest: Promise<unknown>
  /** How many wait or are sent again, so that none may pass them. */
  held: number
}

/** The saves under way: `flush` and `close` wait for them, and the order of a thread's is kept. */
export class Saves {
  readonly #pending = new Set<Promise<unknown>>()
  readonly #lanes = new Map<string, Lane>()

  /** Runs a save; its synchronous part at once. */
  run<T>(place: Place, save: (ahead: Promise<unknown> | undefined) => Promise<T>): Promise<T> {
    const name = placeName(place)
    const known = this.#lanes.get(name)
    const lane: Lane = known ?? { latest: Promise.resolve(), held: 0 }
    const saving = save(known?.latest)
    const settled: Promise<unknown> = Promise.allSettled([lane.latest, saving]).then(() => {
      this.#pending.delete(saving)
      if (lane.latest === settled) this.#lanes.delete(name)
    })
    lane.latest = settled
    this.#lanes.set(name, lane)
    this.#pending.add(saving)
    return saving
  }

  /**
   * Whether a new save must wait for those ahead of it. As a rule the store's side keeps the order. But one that
   * has to be sent again would be overtaken, and so would one ahead that may have to be, by a save that starts
   * from another checkpoint than the latest.
   */
  mustWait(place: Place, ownParent: boolean): boolean {
    const lane = this.#lanes.get(placeName(place))
    return ownParent || (lane?.held ?? 0) > 0
  }

  /** Marks a save that waits, or is sent again, for as long as that takes. */
  async hold<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(placeName(place))
    if (lane) lane.held++
    try {
      return await work()
    } finally {
      if (lane) lane.held--
    }
  }

  /** Rejects when one of those under way does. */
  async flushed(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending)
  }
}
