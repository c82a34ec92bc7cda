import { BOX } from '../boxes/shell.ts'
import type { TypeTable } from '../boxes/type-table.ts'
import { decoderOf, undecodable } from '../decode/decode.ts'
import type { Decoder } from '../decode/decoder.ts'
import { MAX_DEPTH, setOwn, type Json } from '../json.ts'
import type { Pause } from './pause.ts'

/** As many values as are decoded at once. */
const MANY = 10_000

/** What `decode` gives, made a slice at a time. A box is one slice, whatever is in it. */
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
    const { path } = this.#decoder
    // The one that decodes at once also says what is wrong with it.
    if (!isLargeContainer(json) || path.length >= MAX_DEPTH) return this.#atOnce(json)
    const at = path.length
    const list: unknown[] = []
    const object: Record<string, unknown> = {}
    const keys = Array.isArray(json) ? undefined : Object.keys(json)
    const count = keys ? keys.length : (json as readonly Json[]).length
    for (let i = 0; i < count; i++) {
      const due = this.#pause()
      if (due) await due
      const key = keys?.[i]
      const child = (json as Record<string | number, Json>)[key ?? i] as Json
      path[at] = key ?? i
      const value = isLargeContainer(child) ? await this.value(child) : this.#atOnce(child)
      if (key === undefined) list.push(value)
      else setOwn(object, key, value)
    }
    path.length = at
    return keys ? object : list
  }

  #atOnce(json: Json): unknown {
    try {
      return this.#decoder.value(json)
    } catch (cause) {
      throw undecodable(this.#decoder, cause)
    }
  }
}

function isLargeContainer(json: Json): json is readonly Json[] | Readonly<Record<string, Json>> {
  if (typeof json !== 'object' || json === null || Object.hasOwn(json, BOX)) return false
  return countUpTo(json, MANY) > MANY
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
