/**
 * Whether two values say the same. What is met again within one comparison is taken to be the same as its other: if it
 * is not, that is found where it was met first, and then all of it differs.
 */
export function same(a: unknown, b: unknown): boolean {
  return isSame(a, b, new Map())
}

type Met = Map<object, Set<object>>

function isSame(a: unknown, b: unknown, met: Met): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  const others = met.get(a)
  if (others?.has(b)) return true
  if (others) others.add(b)
  else met.set(a, new Set([b]))
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime())
  if (a instanceof RegExp && b instanceof RegExp)
    return String(a) === String(b) && a.lastIndex === b.lastIndex
  if (a instanceof URL && b instanceof URL) return a.href === b.href
  if (a instanceof Map && b instanceof Map) return areSame([...a].flat(), [...b].flat(), met)
  if (a instanceof Set && b instanceof Set) return areSame([...a], [...b], met)
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return haveSameBytes(a, b)
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer)
    return haveSameBytes(new Uint8Array(a), new Uint8Array(b))
  if (Array.isArray(a) && Array.isArray(b)) return areSame(a, b, met)
  if (a instanceof Error && b instanceof Error && (a.message !== b.message || a.name !== b.name)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSame(Reflect.get(a, key), Reflect.get(b, key), met))
}

function areSame(a: readonly unknown[], b: readonly unknown[], met: Met): boolean {
  if (a.length !== b.length) return false
  // Holes count too, which `every` passes over.
  for (let i = 0; i < a.length; i++) if (!isSame(a[i], b[i], met)) return false
  return true
}

function haveSameBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.byteLength !== b.byteLength) return false
  const [left, right] = [bytesOf(a), bytesOf(b)]
  return left.every((byte, i) => byte === right[i])
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
