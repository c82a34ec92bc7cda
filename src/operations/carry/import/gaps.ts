import { fewRanges, type Ranges } from '../../rows/lanes.ts'

const MOST = 1024

/** Which seqs of a lane have no row, told by those that have one as they come by, in order. */
export class Gaps {
  /** The last that had a row. */
  last: number
  #ranges: (readonly [from: number, to: number])[] = []

  /** No checkpoint has the seq 0. */
  constructor(from: number) {
    this.last = Math.max(1, from) - 1
  }

  pass(seq: number): void {
    if (seq > this.last + 1) this.#ranges = [...this.#ranges, [this.last + 1, seq - 1]]
    this.last = seq
    if (this.#ranges.length > 2 * MOST) this.#ranges = [...fewRanges(this.#ranges, MOST)]
  }

  upTo(seq: number): Ranges {
    const all = this.#ranges
      .filter(([from]) => from <= seq)
      .map(([from, to]) => [from, Math.min(to, seq)] as const)
    return fewRanges(seq > this.last ? [...all, [this.last + 1, seq]] : all)
  }
}
