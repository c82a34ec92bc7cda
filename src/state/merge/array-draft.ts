import type { Trust } from '../capture/trust.ts'
import type { Json } from '../json.ts'

/** An encoded array in the making: `prev` itself for as long as nothing differs, a copy from there on. */
export class ArrayDraft {
  /** False once an element came that may change; what is kept by identity was trusted already. */
  allTrusted = true
  readonly #prev: readonly Json[]
  readonly #trust: Trust | undefined
  #known: (object | undefined)[] | undefined
  #next: Json[] | undefined
  #refs: (object | undefined)[] = []

  constructor(prev: readonly Json[], known: (object | undefined)[] | undefined, trust: Trust | undefined) {
    this.#prev = prev
    this.#known = known
    this.#trust = trust
  }

  /** From here on the array is not `prev`: what went before is copied. */
  diverge(from: number): Json[] {
    if (this.#next === undefined) {
      this.#next = this.#prev.slice(0, from)
      this.#refs = this.#known?.slice(0, from) ?? []
    }
    return this.#next
  }

  keep(from: number): void {
    if (this.#next === undefined) return
    const ref = this.#known?.[from]
    if (ref !== undefined) this.#refs[this.#next.length] = ref
    this.#next.push(this.#prev[from]!)
  }

  /** The element after a merge with the one at `from`, and its source where that is trusted. */
  put(from: number, after: Json, source: unknown): void {
    const isObject = typeof source === 'object' && source !== null
    if (this.#next === undefined && after === this.#prev[from]) {
      if (!isObject || this.#trust === undefined) return
      if (this.#known === undefined) this.#trust.setElements(this.#prev, (this.#known = []))
      this.#known[from] = source
      return
    }
    const next = this.diverge(from)
    if (isObject) this.#refs[next.length] = source
    next.push(after)
  }

  add(item: Json, source: unknown, frozen: boolean): void {
    if (!frozen) this.allTrusted = false
    if (typeof source === 'object' && source !== null) this.#refs[this.#next!.length] = source
    this.#next!.push(item)
  }

  /** The common end, from `until` in `prev`. It may be alike without being what is known by identity. */
  keepRest(until: number, sources: readonly unknown[]): void {
    const ahead = sources.length - this.#prev.length
    for (let i = until; i < this.#prev.length; i++) {
      const source = sources[i + ahead]
      if (typeof source === 'object' && source !== null && this.#known?.[i] !== source)
        this.allTrusted = false
      this.keep(i)
    }
  }

  finish(): readonly Json[] {
    if (this.#next === undefined) return this.#prev
    if (this.#trust !== undefined && this.#refs.length > 0) this.#trust.setElements(this.#next, this.#refs)
    return this.#next
  }
}
