import { BOX } from '../boxes/shell.ts'
import type { TypeTable } from '../boxes/type-table.ts'
import { decoderOf, undecodable } from '../decode/decode.ts'
import type { Decoder } from '../decode/decoder.ts'
import { MAX_DEPTH, setOwn, type Json } from '../json.ts'
import type { Pause } from './pause.ts'

/** As many values as are decoded at once. */
const MANY = 10_000

/** What `decode` gives, made a slice at a time. A box is one slice, unless it is of a large Map or Set. */
export function decodeInSlices(state: Json, types: TypeTable, pause: Pause): Promise<unknown> {
  return new SlicedDecoder(types, pause).value(state)
}

class SlicedDecoder {
  readonly #decoder: Decoder
  readonly #pause: Pause

  constructor(types: TypeTable, pause: Pause) {
    this.#decoder = decoderOf(types)
    this.#pause = pause
  }

  async value(json: Json): Promise<unknown> {
    return this.#at(json)
  }

  /** A value some steps further down. What is small is there at once, and nobody is waited for. */
  #at(json: Json, ...steps: Decoder['path']): unknown {
    if (typeof json !== 'object' || json === null) return json
    const { path } = this.#decoder
    const at = path.length
    path.push(...steps)
    // The one that decodes at once also says what is wrong with it.
    const large = path.length < MAX_DEPTH ? largeOf(json) : undefined
    const back = <T>(value: T): T => {
      path.length = at
      return value
    }
    return large ? this.#sliced(json, large).then(back) : back(this.#atOnce(json))
  }

  async #sliced(json: Json, large: Large): Promise<unknown> {
    if (large.kind !== 'plain') return this.#collection(json, large)
    const list: unknown[] = []
    const object: Record<string, unknown> = {}
    const { keys, items } = large
    for (let i = 0; i < (keys ?? items).length; i++) {
      const due = this.#pause()
      if (due) await due
      const key = keys?.[i]
      const child = key === undefined ? items[i] : (json as Readonly<Record<string, Json>>)[key]
      const coming = this.#at(child as Json, key ?? i)
      const value = coming instanceof Promise ? await coming : coming
      if (key === undefined) list.push(value)
      else setOwn(object, key, value)
    }
    return keys ? object : list
  }

  async #collection(json: Json, { kind, items }: Large): Promise<unknown> {
    const map = new Map<unknown, unknown>()
    const set = new Set<unknown>()
    for (const [i, item] of items.entries()) {
      const due = this.#pause()
      if (due) await due
      if (kind === 'set') {
        const value = this.#at(item, BOX, 1, i)
        set.add(value instanceof Promise ? await value : value)
        continue
      }
      if (!Array.isArray(item) || item.length !== 2) return this.#atOnce(json)
      const key = this.#at(item[0], BOX, 1, i, 0)
      const own = key instanceof Promise ? await key : key
      const value = this.#at(item[1], BOX, 1, i, 1)
      map.set(own, value instanceof Promise ? await value : value)
    }
    return kind === 'set' ? set : map
  }

  #atOnce(json: Json): unknown {
    try {
      return this.#decoder.value(json)
    } catch (cause) {
      throw undecodable(this.#decoder, cause)
    }
  }
}

/** What is too much to be decoded at once: the items of a list, a Map or a Set, or an object by its keys. */
interface Large {
  readonly kind: 'plain' | 'map' | 'set'
  readonly items: readonly Json[]
  readonly keys?: readonly string[]
}

function largeOf(json: Json): Large | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  if (Object.hasOwn(json, BOX)) return largeBox((json as Readonly<Record<string, Json>>)[BOX])
  if (countUpTo(json, MANY) <= MANY) return undefined
  return Array.isArray(json)
    ? { kind: 'plain', items: json as readonly Json[] }
    : { kind: 'plain', items: [], keys: Object.keys(json) }
}

/** Of what is no such box whoever decodes it at once says what is wrong. */
function largeBox(payload: Json | undefined): Large | undefined {
  if (!Array.isArray(payload) || payload.length !== 2) return undefined
  const [kind, items] = payload as readonly Json[]
  if ((kind !== 'map' && kind !== 'set') || !Array.isArray(items)) return undefined
  return countUpTo(items, MANY) > MANY ? { kind, items: items as readonly Json[] } : undefined
}

/** How many values there are in it; no more are counted than asked for, by far. */
function countUpTo(json: object, most: number): number {
  let count = 1
  const add = (child: Json | undefined): void => {
    count += typeof child === 'object' && child !== null ? countUpTo(child, most - count) : 1
  }
  const children = json as Readonly<Record<string | number, Json>>
  if (Array.isArray(json)) for (let i = 0; i < json.length && count <= most; i++) add(children[i])
  else
    // No list of its keys or values is made only to be counted.
    for (const key in json) {
      if (count > most) break
      add(children[key])
    }
  return count
}
