import type { Json } from '../json.ts'
import { propsShell } from './awkward.ts'
import { encodeBytes, isBytesClass } from './bytes.ts'
import { errorShell } from './error.ts'
import { encodeBigint, encodeDate, encodeNumber, encodeRegExp, encodeUndefined, encodeUrl } from './leaf.ts'
import { isDense, isPlain, ownConstructorName, refuseProperties, refuseSymbols, tagOf } from './nature.ts'
import { Refusal, adviceFor } from './refusal.ts'
import { Shell, boxShell, entriesShell } from './shell.ts'
import type { TypeTable } from './type-table.ts'

/**
 * What a value is, one level down: the value itself when it stands as it is (a primitive of JSON's, an array
 * or a plain object, whose children are then walked), a shell to walk in its place, or its finished encoded
 * form. The last is `prev` itself when `prev` already says the same.
 */
export type View = (live: unknown, prev: Json | undefined) => unknown

const isArrayPrototype = (prototype: object | null): boolean =>
  prototype === Array.prototype || (prototype !== null && ownConstructorName(prototype) === 'Array')

/** Half of what an engine can hold in one string, so that a state with it can still be written as text. */
const MAX_TEXT = 2 ** 28

/** How the caller's values look to a walk. Circles are not looked for: a walk that goes too deep asks. */
export function viewOf(types: TypeTable): View {
  return (live, prev) => {
    switch (typeof live) {
      case 'string':
        if (live.length > MAX_TEXT)
          throw new Refusal('a string this long cannot be stored: store it in parts')
        return live
      case 'boolean':
        return live
      case 'number':
        return encodeNumber(live, prev)
      case 'undefined':
        return encodeUndefined(prev)
      case 'bigint':
        return encodeBigint(live, prev)
      case 'object':
        break
      default:
        return customShell(live, types) ?? refuse(live)
    }
    if (live === null || live instanceof Shell) return live
    const prototype: object | null = Object.getPrototypeOf(live)
    if (isPlain(prototype)) {
      refuseSymbols(live)
      return live
    }
    if (Array.isArray(live) && isArrayPrototype(prototype)) return array(live)
    return special(live, prototype, types, prev)
  }
}

function array(live: readonly unknown[]): unknown {
  refuseSymbols(live)
  const keys = Object.keys(live)
  if (isDense(live, keys)) return live
  const last = keys[keys.length - 1]
  const isIndex = last === undefined || (/^(?:0|[1-9]\d*)$/.test(last) && Number(last) < 2 ** 32 - 1)
  if (!isIndex) throw new Refusal(`an array with a property "${last}" cannot be stored: use an object`)
  const entries = keys.map((key): [number, unknown] => [Number(key), live[Number(key)]])
  return boxShell('sparse', live.length, entriesShell(entries))
}

function special(live: object, prototype: object | null, types: TypeTable, prev: Json | undefined): unknown {
  if (prototype === null) {
    refuseSymbols(live)
    return boxShell('null-object', entriesShell(Object.entries(live)))
  }
  const className = types.className(prototype)
  if (className !== undefined) return classShell(live, className)
  return customShell(live, types) ?? builtIn(live, prototype, prev)
}

function builtIn(live: object, prototype: object, prev: Json | undefined): unknown {
  const tag = tagOf(live)
  const name = ownConstructorName(prototype)
  if ((tag === 'Error' && !(Symbol.toStringTag in live)) || (tag === 'DOMException' && name === tag)) {
    refuseSymbols(live)
    return errorShell(live as Error, undefined)
  }
  if (name !== tag) throw new Refusal(adviceFor(live, name || tag, tag))
  if (isBytesClass(tag)) return encodeBytes(live as ArrayBuffer, tag, prev)
  switch (tag) {
    case 'Date':
      refuseProperties(live, tag)
      return encodeDate(live as Date, prev)
    case 'RegExp':
      refuseProperties(live, tag)
      return encodeRegExp(live as RegExp, prev)
    case 'URL':
      refuseProperties(live, tag)
      return encodeUrl(live as URL, prev)
    case 'Map':
      refuseProperties(live, tag)
      return boxShell('map', entriesShell(Map.prototype.entries.call(live as Map<unknown, unknown>)))
    case 'Set':
      refuseProperties(live, tag)
      return boxShell('set', new Shell([...Set.prototype.values.call(live as Set<unknown>)]))
    default:
      throw new Refusal(adviceFor(live, name || tag, tag))
  }
}

function classShell(live: object, name: string): Shell {
  refuseSymbols(live)
  if (live instanceof Error) return errorShell(live, name)
  const hidden = [Map, Set, Date, RegExp, Promise, WeakMap, WeakSet, ArrayBuffer, Array]
  if (ArrayBuffer.isView(live) || hidden.some((kind) => live instanceof kind)) {
    throw new Refusal(
      `an instance of ${name} holds more than its properties: register it with serialize and deserialize`,
    )
  }
  return boxShell('class', name, propsShell(Object.entries(live)))
}

function customShell(live: unknown, types: TypeTable): Shell | undefined {
  const kind = types.kindOf(live)
  return kind && boxShell('custom', kind.name, kind.serialize(live))
}

function refuse(live: unknown): never {
  if (typeof live === 'function') throw new Refusal('a function cannot be stored: leave it out')
  throw new Refusal(`${String(live)} is a symbol, which cannot be stored: use a string`)
}
