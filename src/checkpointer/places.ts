import type { Place } from '../operations/host.ts'

export const nameOfPlace = ({ thread, namespace }: Place): string => JSON.stringify([thread, namespace])

const threadIn = (name: string): string => (JSON.parse(name) as [string])[0]

/** Something for each of the places that were used last. */
export class Places<Value> {
  readonly #most: number
  readonly #values = new Map<string, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get(place: Place): Value | undefined {
    return this.#values.get(nameOfPlace(place))
  }

  /** Puts it in, as the place that was used last. */
  set(place: Place, value: Value): void {
    this.delete(place)
    this.#values.set(nameOfPlace(place), value)
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value as string)
  }

  /** Changes what is there, if anything is: that is no use of the place. */
  change(place: Place, change: (value: Value) => Value): void {
    const value = this.get(place)
    if (value !== undefined) this.#values.set(nameOfPlace(place), change(value))
  }

  delete(place: Place): void {
    this.#values.delete(nameOfPlace(place))
  }

  deleteThread(thread: string): void {
    for (const name of this.#values.keys()) if (threadIn(name) === thread) this.#values.delete(name)
  }
}
