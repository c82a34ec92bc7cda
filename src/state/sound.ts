import { CheckpointerError } from '../errors.ts'
import { BOX } from './boxes/shell.ts'
import { TypeTable } from './boxes/type-table.ts'
import { Decoder } from './decode/decode.ts'
import { MAX_DEPTH } from './json.ts'
import type { Json } from './json.ts'

/** Knows every type by name, as far as it matters for whether a state can be read. */
class AnyTypes extends TypeTable {
  override classPrototype(): object {
    return Object.prototype
  }

  override kind(name: string) {
    return {
      name,
      isApplicable: () => false,
      serialize: (value: unknown) => value,
      deserialize: (value: unknown) => value,
    }
  }
}

const ANY = new AnyTypes([])

/**
 * Whether encoded states can be decoded, whatever types the caller has. States share what has not changed, so each
 * piece is looked at once; what was seen is remembered for as long as it is used.
 */
export class Soundness {
  /** The depth at which it was found sound: then it is so anywhere above. */
  readonly #sound = new WeakMap<object, number>()

  /** Throws `CORRUPT` for what `decode` would refuse. */
  check(state: Json): void {
    try {
      this.#look(state, 0)
    } catch (cause) {
      throw new CheckpointerError('CORRUPT', 'a value is not what an encoded value can be', { cause })
    }
  }

  #look(value: Json, depth: number): void {
    if (typeof value !== 'object' || value === null) return
    if ((this.#sound.get(value) ?? -1) >= depth) return
    if (depth >= MAX_DEPTH) throw new Error('nested too deep')
    if (Array.isArray(value)) for (const item of value as readonly Json[]) this.#look(item, depth + 1)
    else if (Object.hasOwn(value, BOX)) decodeAt(value, depth)
    else for (const item of Object.values(value)) this.#look(item, depth + 1)
    this.#sound.set(value, depth)
  }
}

function decodeAt(box: Json, depth: number): void {
  const decoder = new Decoder(ANY)
  decoder.path.push(...Array.from({ length: depth }, () => ''))
  decoder.value(box)
}
