import { CheckpointerError } from '../../errors.ts'
import { isJsonObject, pathText, setOwn } from '../json.ts'
import type { Json } from '../json.ts'
import type { Delta, Op, Path, Step } from './op.ts'
import { Pieces } from './pieces.ts'

/** What is longer is spliced in pieces: a delta of many small splices would else copy the whole for each. */
const LONG_TEXT = 2 ** 15
const LONG_LIST = 2 ** 12
const joinTexts = (a: string, b: string): string => a + b
const joinLists = (a: Json[], b: Json[]): Json[] => a.concat(b)

/** Stands for a long text while it is spliced. */
class Spliced {
  readonly pieces: Pieces<string>

  constructor(text: string) {
    this.pieces = new Pieces(text, LONG_TEXT / 4, joinTexts)
  }

  whole(): string {
    return [...this.pieces].join('')
  }
}

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
  /** What the long ones of them hold by now. */
  readonly #lists = new Map<Json[], Pieces<Json[]>>()
  #hasSpliced = false

  constructor(base: Json) {
    this.#root = base
  }

  run(delta: Delta): Json {
    for (const op of delta) this.#apply(op)
    for (const [list, pieces] of this.#lists) {
      list.length = 0
      for (const piece of pieces) for (const item of piece) list.push(item)
    }
    if (this.#hasSpliced) this.#writeTexts()
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
    else this.#put(parent, step, value, path)
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
    if (!Array.isArray(target) || at + remove > this.#lengthOf(target)) throw misfit(path)
    const pieces = this.#lists.get(target)
    if (pieces) pieces.splice(at, remove, items as Json[])
    else if (at === target.length) for (const item of items) target.push(item)
    else if (target.length > LONG_LIST) {
      const made = new Pieces<Json[]>(target, LONG_LIST / 4, joinLists)
      made.splice(at, remove, items as Json[])
      this.#lists.set(target, made)
    } else {
      const rest = target.splice(at)
      for (const item of items) target.push(item)
      for (let i = remove; i < rest.length; i++) target.push(rest[i]!)
    }
  }

  #spliceText(path: Path, at: number, remove: number, text: string): void {
    const parent = path.length === 0 ? undefined : this.#open(path, path.length - 1)
    const step = path[path.length - 1]
    const before: unknown = parent === undefined ? this.#root : this.#get(parent, step!, path)
    if (before instanceof Spliced) {
      if (at + remove > before.pieces.length || isTooLong(before.pieces.length - remove + text.length))
        throw misfit(path)
      return before.pieces.splice(at, remove, text)
    }
    if (typeof before !== 'string' || at + remove > before.length) throw misfit(path)
    if (isTooLong(before.length - remove + text.length)) throw misfit(path)
    if (before.length > LONG_TEXT) {
      const spliced = new Spliced(before)
      spliced.pieces.splice(at, remove, text)
      this.#hasSpliced = true
      return this.#place(parent, step, spliced as unknown as Json, path)
    }
    this.#place(parent, step, before.slice(0, at) + text + before.slice(at + remove), path)
  }

  #place(parent: Container | undefined, step: Step | undefined, value: Json, path: Path): void {
    if (parent === undefined) this.#root = value
    else this.#put(parent, step!, value, path)
  }

  /** Whatever holds one was opened for it. */
  #writeTexts(): void {
    const written = (value: unknown): Json => (value instanceof Spliced ? value.whole() : (value as Json))
    this.#root = written(this.#root)
    for (const each of this.#owned as Set<Container>)
      if (Array.isArray(each)) each.forEach((value, i) => (each[i] = written(value)))
      else
        for (const [key, value] of Object.entries(each))
          if (value !== written(value)) setOwn(each, key, written(value))
  }

  #order(path: Path, keys: readonly string[]): void {
    const target = this.#open(path, path.length)
    if (Array.isArray(target) || Object.keys(target).length !== keys.length) throw misfit(path)
    const values = keys.map((key) => this.#get(target, key, path))
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
      const child = this.#get(node, step, path)
      const own = this.#own(child, path)
      if (own !== child) this.#put(node, step, own, path)
      node = own
    }
    return node
  }

  #own(value: Json, path: Path): Container {
    if (typeof value !== 'object' || value === null || (value as object) instanceof Spliced)
      throw misfit(path)
    if (this.#owned.has(value)) return value as Container
    const copy = isJsonObject(value) ? { ...value } : value.slice()
    this.#owned.add(copy)
    return copy as Container
  }

  #lengthOf(list: Json[]): number {
    return this.#lists.get(list)?.length ?? list.length
  }

  #get(node: Container, step: Step, path: Path): Json {
    let value: Json | undefined
    if (Array.isArray(node)) value = typeof step === 'number' ? this.#item(node, step) : undefined
    else if (typeof step === 'string' && Object.hasOwn(node, step)) value = node[step]
    if (value === undefined) throw misfit(path)
    return value
  }

  #item(list: Json[], at: number): Json | undefined {
    const pieces = this.#lists.get(list)
    if (!pieces) return list[at]
    if (at >= pieces.length) return undefined
    const [piece, offset] = pieces.find(at)
    return piece[offset]
  }

  #put(node: Container, step: Step, value: Json, path: Path): void {
    if (Array.isArray(node)) {
      if (typeof step !== 'number' || step >= this.#lengthOf(node)) throw misfit(path)
      const pieces = this.#lists.get(node)
      const [piece, offset] = pieces ? pieces.find(step) : [node, step]
      piece[offset] = value
    } else {
      if (typeof step !== 'string' || !Object.hasOwn(node, step)) throw misfit(path)
      setOwn(node, step, value)
    }
  }
}

/** Longer than any engine's texts. */
const isTooLong = (length: number): boolean => length > 2 ** 29 - 25

const misfit = (path: Path): CheckpointerError =>
  new CheckpointerError('CORRUPT', 'a delta does not fit the state it is for', { path: pathText(path) })
