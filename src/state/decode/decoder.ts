import { decodeBytes } from '../boxes/bytes.ts'
import { CONTAINERS } from '../boxes/containers.ts'
import { isLeafKind } from '../boxes/leaf-shape.ts'
import { BOX } from '../boxes/shell.ts'
import { Unregistered } from '../boxes/type-table.ts'
import type { TypeTable } from '../boxes/type-table.ts'
import type { Step } from '../delta/op.ts'
import { MAX_DEPTH, setOwn } from '../json.ts'
import type { Json } from '../json.ts'
import { decodeGraph } from './graph.ts'

/** What stands for itself: nothing in it can be wrong, so nobody asks where it was. Most values are such. */
const isPlain = (json: Json): boolean => typeof json === 'string' || typeof json === 'number'

export class Decoder {
  readonly types: TypeTable
  readonly #leaf: (payload: readonly Json[]) => unknown
  /** Where in the encoded state; left as it is when something throws. */
  readonly path: Step[] = []

  /** `leaf` gives the value in the box of a leaf, and throws anything when there can be none. */
  constructor(types: TypeTable, leaf: (payload: readonly Json[]) => unknown) {
    this.types = types
    this.#leaf = leaf
  }

  value(json: Json): unknown {
    if (typeof json !== 'object' || json === null) {
      if (json === undefined || typeof json === 'function') throw new Error('not JSON')
      return json
    }
    if (this.path.length >= MAX_DEPTH) throw new Error('nested too deep')
    if (Array.isArray(json)) return this.array(json, [])
    return Object.hasOwn(json, BOX)
      ? this.#box(json as Readonly<Record<string, Json>>)
      : this.object(json as never, {})
  }

  /** A value some steps further down. */
  at(json: Json, ...steps: readonly Step[]): unknown {
    this.path.push(...steps)
    const value = this.value(json)
    this.path.length -= steps.length
    return value
  }

  array(json: readonly Json[], target: unknown[], child = (json: Json) => this.value(json)): unknown[] {
    const at = this.path.length
    for (let i = 0; i < json.length; i++) {
      const item = json[i]!
      if (isPlain(item)) target.push(item)
      else {
        this.path[at] = i
        target.push(child(item))
      }
    }
    this.path.length = at
    return target
  }

  object(
    json: Readonly<Record<string, Json>>,
    target: Record<string, unknown>,
    child = (json: Json) => this.value(json),
  ): Record<string, unknown> {
    const at = this.path.length
    for (const key of Object.keys(json)) {
      const item = json[key]!
      if (isPlain(item)) setOwn(target, key, item)
      else {
        this.path[at] = key
        setOwn(target, key, child(item))
      }
    }
    this.path.length = at
    return target
  }

  #box(json: Readonly<Record<string, Json>>): unknown {
    const payload = json[BOX]
    if (Object.keys(json).length !== 1 || !Array.isArray(payload)) throw new Error('not a box')
    const kind: unknown = payload[0]
    if (typeof kind !== 'string') throw new Error('not a box')
    this.path.push(BOX)
    const value = this.#unbox(kind, payload as readonly Json[])
    this.path.pop()
    return value
  }

  #unbox(kind: string, payload: readonly Json[]): unknown {
    if (isLeafKind(kind)) return this.#leaf(payload)
    if (kind === 'bytes') return decodeBytes(payload)
    if (kind === 'graph') return decodeGraph(this, payload)
    if (kind === 'custom') return this.#custom(payload)
    const container = CONTAINERS.get(kind)
    if (container === undefined) throw new Error('an unknown kind of box')
    const target = container.make(payload, this.types)
    container.fill(target, payload, (json, ...steps) => this.at(json, ...steps))
    return target
  }

  #custom(payload: readonly Json[]): unknown {
    const [, name, stored] = payload
    if (typeof name !== 'string' || stored === undefined || payload.length !== 3)
      throw new Error('not an own kind')
    const kind = this.types.kind(name)
    if (kind === undefined) throw new Unregistered(name)
    return kind.deserialize(this.at(stored, 2))
  }
}
