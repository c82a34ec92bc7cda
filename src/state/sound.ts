import { CheckpointerError } from '../errors.ts'
import { checkLeaf } from './boxes/leaf-shape.ts'
import { BOX } from './boxes/shell.ts'
import { TypeTable } from './boxes/type-table.ts'
import { Decoder } from './decode/decoder.ts'
import type { Delta } from './delta/op.ts'
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
 * piece is looked at once; what was seen is remembered for as long as it is used.
 */
export class Soundness {
  /** The depth at which it was looked at: what is sound there is so anywhere above. */
  #seen = new WeakMap<object, number>()

  /** Throws `CORRUPT` for what `decode` would refuse, so many steps down in a state. */
  async check(state: Json, pause: Pause, depth = 0): Promise<void> {
    try {
      await this.#look(state, pause, depth)
    } catch (error) {
      // Some of it was not looked into any more.
      this.#seen = new WeakMap()
      throw error
    }
  }

  async #look(state: Json, pause: Pause, from: number): Promise<void> {
    const rest: [value: object, depth: number][] = []
    const add = (value: Json, depth: number): void => {
      if (typeof value === 'object' && value !== null && (this.#seen.get(value) ?? -1) < depth)
        rest.push([value, depth])
    }
    add(state, from)
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

/**
 * The same of what a delta puts in, as far as that can be told without its base: in a box, where what stands in it may
 * be no value by itself, only how deep it is.
 */
export async function checkDelta(delta: Delta, pause: Pause): Promise<void> {
  const soundness = new Soundness()
  for (const [kind, path, ...rest] of delta) {
    if (path.length > MAX_DEPTH) throw unsound(new Error('nested too deep'))
    const values = kind === '=' ? rest : kind === '[' ? (rest[2] as readonly Json[]) : []
    const depth = kind === '[' ? path.length + 1 : path.length
    const isInBox = path.includes(BOX)
    for (const value of values as readonly Json[])
      await (isInBox ? checkDepth(value, pause, depth) : soundness.check(value, pause, depth))
  }
}

async function checkDepth(value: Json, pause: Pause, depth: number): Promise<void> {
  let level: Json[] = [value]
  for (let at = depth; level.length > 0; at++) {
    const containers = level.filter((each) => typeof each === 'object' && each !== null)
    if (containers.length > 0 && at >= MAX_DEPTH) throw unsound(new Error('nested too deep'))
    level = containers.flatMap((each) => Object.values(each as object) as Json[])
    await pause()
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
