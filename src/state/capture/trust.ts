import type { Json } from '../json.ts'

type Refs = (object | undefined)[]

/**
 * Which encoded containers stand for which of the caller's objects, for objects that can never change:
 * plain objects and arrays, frozen all the way down. Such an object is known again by identity.
 * Nothing here keeps a state alive.
 */
export class Trust {
  readonly #sources = new WeakMap<object, object>()
  /** Of an encoded array: the trusted source of each element, so that a known one costs one comparison. */
  readonly #elements = new WeakMap<readonly Json[], Refs>()

  knows(live: object, encoded: Json): boolean {
    return typeof encoded === 'object' && encoded !== null && this.#sources.get(encoded) === live
  }

  /** Says that a frozen object with nothing but trusted children is what `encoded` stands for. */
  vouch(live: object, encoded: Json): boolean {
    if (this.knows(live, encoded)) return true
    // A frozen getter may still answer differently each time.
    for (const key of Object.keys(live)) {
      if (Object.getOwnPropertyDescriptor(live, key)?.get !== undefined) return false
    }
    this.#sources.set(encoded as object, live)
    return true
  }

  elements(encoded: readonly Json[]): Refs | undefined {
    return this.#elements.get(encoded)
  }

  setElements(encoded: readonly Json[], refs: Refs): void {
    this.#elements.set(encoded, refs)
  }
}
