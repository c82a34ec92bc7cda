import type { Json } from '../json.ts'

type Whole = string | readonly Json[]

/** As long as this, at least: a splice of what is shorter copies all of it. */
const LONG_TEXT = 2 ** 15
const LONG_LIST = 2 ** 12

export const isLong = (whole: Whole): boolean =>
  whole.length > (typeof whole === 'string' ? LONG_TEXT : LONG_LIST)

/** A long list or text in pieces, so that a splice costs a piece and not the whole. */
export class Pieces {
  readonly isText: boolean
  length: number
  /** A piece is so long, or up to twice as long: to find one costs about as much as to copy it. */
  readonly #most: number
  readonly #all: Whole[]

  constructor(whole: Whole) {
    this.isText = typeof whole === 'string'
    this.length = whole.length
    const [least, cost] = this.isText ? [LONG_TEXT / 4, 10] : [LONG_LIST / 4, 1]
    this.#most = Math.max(least, Math.ceil(Math.sqrt(cost * whole.length)))
    this.#all = this.#cut(whole)
  }

  /** Of a list. */
  get(at: number): Json | undefined {
    const [index, end] = this.#seek(at + 1)
    return at < this.length ? this.#all[index]![end - 1] : undefined
  }

  set(at: number, value: Json): void {
    const [index, end] = this.#seek(at + 1)
    ;(this.#all[index] as Json[])[end - 1] = value
  }

  splice(at: number, remove: number, items: Whole): void {
    const [first, offset] = this.#seek(at)
    const [last, end] = this.#seek(at + remove)
    const made = this.#joined([this.#all[first]!.slice(0, offset), items, this.#all[last]!.slice(end)])
    this.#all.splice(first, last - first + 1, ...this.#cut(made))
    this.length += items.length - remove
  }

  whole(): string | Json[] {
    return this.#joined(this.#all)
  }

  #joined(all: readonly Whole[]): string | Json[] {
    return this.isText ? (all as string[]).join('') : ([] as Json[]).concat(...(all as Json[][]))
  }

  /** The first piece that reaches up to there. */
  #seek(at: number): readonly [index: number, offset: number] {
    let index = 0
    while (index < this.#all.length - 1 && at > this.#all[index]!.length) at -= this.#all[index++]!.length
    return [index, at]
  }

  #cut(whole: Whole): Whole[] {
    if (whole.length <= this.#most * 2) return [whole]
    const all: Whole[] = []
    for (let at = 0; at < whole.length; at += this.#most) all.push(whole.slice(at, at + this.#most))
    return all
  }
}
