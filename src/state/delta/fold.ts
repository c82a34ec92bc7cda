import { CheckpointerError } from '../../errors.ts'
import { isJsonObject, pathText, setOwn } from '../json.ts'
import type { Json } from '../json.ts'
import type { Delta, Op, Path, Step } from './op.ts'
import { isLong, Pieces } from './pieces.ts'

/** Of so many operations each may copy all that it changes, which is less work than to take it to pieces. */
const FEW = 32

/** `Pieces` stand for what is long while it is spliced: a delta of many small splices would else copy the whole for each. */
type Node = Json | Pieces
type Container = Node[] | Record<string, Node> | Pieces

/**
 * The state after a delta. Copies what it changes and shares the rest with `base`, which stays as it is.
 * Safe on rows from anywhere: operations that do not fit are `CORRUPT`.
 */
export function fold(base: Json, delta: Delta): Json {
  return delta.length === 0 ? base : new Folding(base).run(delta)
}

class Folding {
  #root: Node
  /** The containers made here: they may be changed in place, and are copied only once however many ops. */
  readonly #owned = new Set<object>()
  #hasPieces = false
  #areMany = false

  constructor(base: Json) {
    this.#root = base
  }

  run(delta: Delta): Json {
    this.#areMany = delta.length > FEW
    for (const op of delta) this.#apply(op)
    // Whatever holds one was opened for it.
    if (this.#hasPieces) for (const each of this.#owned) fill(each as Record<string, Node>)
    return flat(this.#root)
  }

  #apply(op: Op): void {
    switch (op[0]) {
      case '=':
        return this.#set(op[1], op[2])
      case '-':
        return this.#delete(op[1], op[2])
      case '[':
      case '"':
        return this.#splice(op[1], op[2], op[3], op[4])
      case '{':
        return this.#order(op[1], op[2])
      default:
        throw misfit([])
    }
  }

  #set(path: Path, value: Json): void {
    const step = path[path.length - 1]
    const parent = step === undefined ? undefined : this.#open(path, path.length - 1)
    if (isObject(parent) && typeof step === 'string') setOwn(parent, step, value)
    else this.#place(parent, step, value, path)
  }

  #delete(path: Path, keys: readonly string[]): void {
    const target = this.#open(path, path.length)
    if (!isObject(target)) throw misfit(path)
    for (const key of keys) {
      if (!Object.hasOwn(target, key)) throw misfit([...path, key])
      delete target[key]
    }
  }

  #splice(path: Path, at: number, remove: number, items: string | readonly Json[]): void {
    const step = path[path.length - 1]
    const parent = step === undefined ? undefined : this.#open(path, path.length - 1)
    const before = parent === undefined ? this.#root : get(parent, step!, path)
    const isText = typeof items === 'string'
    const isSuch =
      before instanceof Pieces
        ? before.isText === isText
        : isText
          ? typeof before === 'string'
          : Array.isArray(before)
    if (!isSuch) throw misfit(path)
    const { length } = before as Pieces
    // No engine has longer texts.
    const isTooLong = isText && length - remove + items.length > 2 ** 29 - 25
    if (at + remove > length || isTooLong) throw misfit(path)
    if (before instanceof Pieces) return before.splice(at, remove, items)
    this.#place(parent, step, this.#spliced(before as string | Json[], at, remove, items), path)
  }

  #spliced(before: string | Json[], at: number, remove: number, items: string | readonly Json[]): Node {
    if (this.#areMany && isLong(before) && (at < before.length || typeof items === 'string')) {
      const pieces = new Pieces(before)
      pieces.splice(at, remove, items)
      this.#hasPieces = true
      return pieces
    }
    if (typeof before === 'string') return before.slice(0, at) + (items as string) + before.slice(at + remove)
    const list = this.#own(before, []) as Node[]
    const rest = list.splice(at)
    for (const item of items) list.push(item)
    for (let i = remove; i < rest.length; i++) list.push(rest[i]!)
    return list as Json
  }

  #order(path: Path, keys: readonly string[]): void {
    const target = this.#open(path, path.length)
    if (!isObject(target) || Object.keys(target).length !== keys.length) throw misfit(path)
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
    this.#root = node as Node
    for (let i = 0; i < depth; i++) {
      const step = path[i]!
      const child = get(node, step, path)
      const own = this.#own(child, path)
      if (own !== child) this.#place(node, step, own as Node, path)
      node = own
    }
    return node
  }

  #own(value: Node, path: Path): Container {
    if (typeof value !== 'object' || value === null) throw misfit(path)
    if (value instanceof Pieces || this.#owned.has(value)) return value as Container
    const copy = isJsonObject(value) ? { ...value } : value.slice()
    this.#owned.add(copy)
    return copy as Container
  }

  /** In place of what stands there. */
  #place(parent: Container | undefined, step: Step | undefined, value: Node, path: Path): void {
    if (parent === undefined) this.#root = value
    else if (isObject(parent)) {
      if (typeof step !== 'string' || !Object.hasOwn(parent, step)) throw misfit(path)
      setOwn(parent, step, value)
    } else {
      if (typeof step !== 'number' || step >= parent.length || isText(parent)) throw misfit(path)
      if (Array.isArray(parent)) parent[step] = value
      else parent.set(step, value as Json)
    }
  }
}

const isText = (node: Node[] | Pieces): boolean => node instanceof Pieces && node.isText

const isObject = (node: Container | undefined): node is Record<string, Node> =>
  node !== undefined && !Array.isArray(node) && !(node instanceof Pieces)

function get(node: Container, step: Step, path: Path): Node {
  let value: Node | undefined
  if (isObject(node)) value = typeof step === 'string' && Object.hasOwn(node, step) ? node[step] : undefined
  else if (typeof step === 'number' && !isText(node))
    value = Array.isArray(node) ? node[step] : node.get(step)
  if (value === undefined) throw misfit(path)
  return value
}

function flat(node: Node): Json {
  if (!(node instanceof Pieces)) return node
  const whole = node.whole()
  if (typeof whole !== 'string') fill(whole as unknown as Record<string, Node>)
  return whole
}

function fill(container: Record<string, Node>): void {
  for (const [key, value] of Object.entries(container))
    if (value instanceof Pieces) setOwn(container, key, flat(value))
}

const misfit = (path: Path): CheckpointerError =>
  new CheckpointerError('CORRUPT', 'a delta does not fit the state it is for', { path: pathText(path) })
