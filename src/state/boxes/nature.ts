import { Refusal } from './refusal.ts'

/** Of this realm or another: an object whose prototype is an `Object.prototype`. */
export function isPlain(prototype: object | null): boolean {
  if (prototype === Object.prototype) return true
  if (prototype === null || Object.getPrototypeOf(prototype) !== null) return false
  return ownConstructorName(prototype) === 'Object' && Object.hasOwn(prototype, 'hasOwnProperty')
}

export function ownConstructorName(prototype: object): string | undefined {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return typeof constructor === 'function' ? constructor.name : undefined
}

/** What the engine calls it: right for every built-in, in every realm, unless a class says otherwise. */
export const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1)

/** Symbols have no place in JSON, and may not be lost in silence. */
export function refuseSymbols(value: object): void {
  const symbols = Object.getOwnPropertySymbols(value)
  if (symbols.length === 0) return
  const symbol = symbols.find((key) => Object.prototype.propertyIsEnumerable.call(value, key))
  if (symbol !== undefined)
    throw new Refusal(`a property named by ${String(symbol)} cannot be stored: use a string`)
}

/** A Date or a Map with properties of its own would come back without them. */
export function refuseProperties(value: object, tag: string): void {
  refuseSymbols(value)
  const [key] = Object.keys(value)
  if (key !== undefined) throw new Refusal(`a ${tag} with a property of its own, "${key}", cannot be stored`)
}

/** Every index and nothing else: engines list indices first, in order. */
export function isDense(array: readonly unknown[], keys: readonly string[]): boolean {
  const { length } = array
  return keys.length === length && (length === 0 || keys[length - 1] === String(length - 1))
}
