import { includes, type Ranges } from '../../rows/lanes.ts'

/** Checkpoints of an export that are not in the file, as they cannot be read, by the numbers of their lanes. */
export class LeftOut {
  readonly #names = new Set<string>()
  /** Of a row that says there should be more than there can be. */
  readonly #ranges = new Map<number, Ranges[number][]>()

  add(lane: number, [seq, to]: Ranges[number]): void {
    if (to === seq) this.#names.add(nameOf(lane, seq))
    else this.#ranges.set(lane, [...(this.#ranges.get(lane) ?? []), [seq, to]])
  }

  has(lane: number, seq: number): boolean {
    return this.#names.has(nameOf(lane, seq)) || includes(this.#ranges.get(lane), seq)
  }

  clear(): void {
    this.#names.clear()
    this.#ranges.clear()
  }
}

const nameOf = (lane: number, seq: number): string => `${lane}/${seq}`
