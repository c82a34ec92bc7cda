import { CheckpointerError } from '../errors.ts'
import { checkLeaf } from './boxes/leaf-shape.ts'
import { BOX } from './boxes/shell.ts'
import { TypeTable } from './boxes/type-table.ts'
import { Decoder } from './decode/decoder.ts'
import { MAX_DEPTH } from './json.ts'
import type { Json } from './json.ts'
import type { Pause } from './slices/pause.ts'

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

/** As many values are looked at between two questions for a pause. */
const STRIDE = 1000

/**
 * Whether encoded states can be decoded, whatever types the caller has. States share what has not changed, so each
 * piece is looked at once; what was seen is remembered for as long as it is used. After a refusal it is of no more use.
 */
export class Soundness {
  /** The depth at which it was looked at: what is sound there is so anywhere above. */
  readonly #seen = new WeakMap<object, number>()

  /** Throws `CORRUPT` for what `decode` would refuse. */
  async check(state: Json, pause: Pause): Promise<void> {
    const rest: [value: object, depth: number][] = []
    const add = (value: Json, depth: number): void => {
      if (typeof value === 'object' && value !== null && (this.#seen.get(value) ?? -1) < depth)
        rest.push([value, depth])
    }
    add(state, 0)
    for (let count = 0; ; count++) {
      const next = rest.pop()
      if (!next) return
      if (count % STRIDE === 0) await pause()
      const [value, depth] = next
      this.#seen.set(value, depth)
      if (depth >= MAX_DEPTH) throw unsound(new Error('nested too deep'))
      if (Object.hasOwn(value, BOX)) decodeAt(value as Json, depth)
      else for (const child of Object.values(value) as Json[]) add(child, depth + 1)
    }
  }
}

/** The same of a single value, at once. */
export function isSound(value: Json): boolean {
  try {
    decodeAt(value, 0)
    return true
  } catch {
    return false
  }
}

const unsound = (cause: unknown): CheckpointerError =>
  new CheckpointerError('CORRUPT', 'a value is not what an encoded value can be', { cause })

function decodeAt(box: Json, depth: number): void {
  const decoder = new Decoder(ANY, checkLeaf)
  decoder.path.push(...Array.from({ length: depth }, () => ''))
  try {
    decoder.value(box)
  } catch (cause) {
    throw unsound(cause)
  }
}
