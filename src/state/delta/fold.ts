import { CheckpointerError } from '../../errors.ts'
import { isJsonObject, pathText, setOwn } from '../json.ts'
import type { Json } from '../json.ts'
import type { Delta, Op, Path, Step } from './op.ts'

type Container = Json[] | Record<string, Json>

/**
 * The state after a delta. Copies what it changes and shares the rest with `base`, which stays as it is.
 * Safe on rows from anywhere: operations that do not fit are `CORRUPT`.
 */
export function fold(base: Json, delta: Delta): Json {
  return delta.length === 0 ? base : new Folding(base).run(delta)
}

class Folding {
  #root: Json
  /** The containers made here: they may be changed in place, and are copied only once however many ops. */
  readonly #owned = new Set<object>()

  constructor(base: Json) {
    this.#root = base
  }

  run(delta: Delta): Json {
    for (const op of delta) this.#apply(op)
    return this.#root
  }

  #apply(op: Op): void {
    switch (op[0]) {
      case '=':
        return this.#set(op[1], op[2])
      case '-':
        return this.#delete(op[1], op[2])
      case '[':
        return this.#splice(op[1], op[2], op[3], op[4])
      case '"':
        return this.#spliceText(op[1], op[2], op[3], op[4])
      case '{':
        return this.#order(op[1], op[2])
      default:
        throw misfit([])
    }
  }

  #set(path: Path, value: Json): void {
    if (path.length === 0) {
      this.#root = value
      return
    }
    const parent = this.#open(path, path.length - 1)
    const step = path[path.length - 1]!
    if (!Array.isArray(parent) && typeof step === 'string') setOwn(parent, step, value)
    else put(parent, step, value, path)
  }

  #delete(path: Path, keys: readonly string[]): void {
    const target = this.#open(path, path.length)
    if (Array.isArray(target)) throw misfit(path)
    for (const key of keys) {
      if (!Object.hasOwn(target, key)) throw misfit([...path, key])
      delete target[key]
    }
  }

  #splice(path: Path, at: number, remove: number, items: readonly Json[]): void {
    const target = this.#open(path, path.length)
    if (!Array.isArray(target) || at + remove > target.length) throw misfit(path)
    if (at === target.length) for (const item of items) target.push(item)
    else if (items.length < 1000) target.splice(at, remove, ...items)
    else {
      const rest = target.splice(at)
      for (const item of items) target.push(item)
      for (let i = remove; i < rest.length; i++) target.push(rest[i]!)
    }
  }

  #spliceText(path: Path, at: number, remove: number, text: string): void {
    const parent = path.length === 0 ? undefined : this.#open(path, path.length - 1)
    const step = path[path.length - 1]
    const before = parent === undefined ? this.#root : get(parent, step!, path)
    if (typeof before !== 'string' || at + remove > before.length) throw misfit(path)
    if (before.length - remove + text.length > 2 ** 29 - 25) throw misfit(path)
    const after = before.slice(0, at) + text + before.slice(at + remove)
    if (parent === undefined) this.#root = after
    else put(parent, step!, after, path)
  }

  #order(path: Path, keys: readonly string[]): void {
    const target = this.#open(path, path.length)
    if (Array.isArray(target) || Object.keys(target).length !== keys.length) throw misfit(path)
    const values = keys.map((key) => get(target, key, path))
    for (const key of keys) {
      if (!Object.hasOwn(target, key)) throw misfit(path)
      delete target[key]
    }
    keys.forEach((key, i) => setOwn(target, key, values[i]!))
  }

  /** The container `depth` steps down the path, made our own together with all above it. */
  #open(path: Path, depth: number): Container {
    let node = this.#own(this.#root, path)
    this.#root = node
    for (let i = 0; i < depth; i++) {
      const step = path[i]!
      const child = get(node, step, path)
      const own = this.#own(child, path)
      if (own !== child) put(node, step, own, path)
      node = own
    }
    return node
  }

  #own(value: Json, path: Path): Container {
    if (typeof value !== 'object' || value === null) throw misfit(path)
    if (this.#owned.has(value)) return value as Container
    const copy = isJsonObject(value) ? { ...value } : value.slice()
    this.#owned.add(copy)
    return copy as Container
  }
}

function get(node: Container, step: Step, path: Path): Json {
  let value: Json | undefined
  if (Array.isArray(node)) value = typeof step === 'number' ? node[step] : undefined
  else if (typeof step === 'string' && Object.hasOwn(node, step)) value = node[step]
  if (value === undefined) throw misfit(path)
  return value
}

function put(node: Container, step: Step, value: Json, path: Path): void {
  if (Array.isArray(node)) {
    if (typeof step !== 'number' || step >= node.length) throw misfit(path)
    node[step] = value
  } else {
    if (typeof step !== 'string' || !Object.hasOwn(node, step)) throw misfit(path)
    setOwn(node, step, value)
  }
}

const misfit = (path: Path): CheckpointerError =>
  new CheckpointerError('CORRUPT', 'a delta does not fit the state it is for', { path: pathText(path) })
