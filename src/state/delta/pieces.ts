interface Whole<T> {
  readonly length: number
  slice(from: number, to?: number): T
}

/** A long list or text in pieces, so that a splice costs a piece and not the whole. */
export class Pieces<T extends Whole<T>> {
  readonly #most: number
  readonly #join: (a: T, b: T) => T
  readonly #all: T[]
  #length: number

  /** In pieces of `most`, or up to twice as long. */
  constructor(whole: T, most: number, join: (a: T, b: T) => T) {
    this.#most = most
    this.#join = join
    this.#all = this.#cut(whole)
    this.#length = whole.length
  }

  get length(): number {
    return this.#length
  }

  /** The piece that holds this item, and where in it. */
  find(at: number): readonly [piece: T, offset: number] {
    const [index, end] = this.#seek(at + 1)
    return [this.#all[index]!, end - 1]
  }

  splice(at: number, remove: number, items: T): void {
    const [first, offset] = this.#seek(at)
    const [last, end] = this.#seek(at + remove, first, at - offset)
    const head = this.#all[first]!.slice(0, offset)
    const tail = this.#all[last]!.slice(end)
    this.#all.splice(first, last - first + 1, ...this.#cut(this.#join(this.#join(head, items), tail)))
    this.#length += items.length - remove
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#all[Symbol.iterator]()
  }

  /** The first piece that reaches up to there. */
  #seek(at: number, index = 0, start = 0): readonly [index: number, offset: number] {
    while (index < this.#all.length - 1 && at - start > this.#all[index]!.length)
      start += this.#all[index++]!.length
    return [index, at - start]
  }

  #cut(whole: T): T[] {
    if (whole.length <= this.#most * 2) return [whole]
    const all: T[] = []
    for (let at = 0; at < whole.length; at += this.#most) all.push(whole.slice(at, at + this.#most))
    return all
  }
}
