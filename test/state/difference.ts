/**
 * Whether two values are exactly the same to anyone who looks: prototypes, key order, holes, the order of a
 * Map, -0, bytes, errors, circles. Answers where they differ, or undefined.
 */
export function difference(
  a: unknown,
  b: unknown,
  at = '$',
  seen = new Map<object, object>(),
): string | undefined {
  if (Object.is(a, b)) return undefined
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return at
  if (seen.has(a)) return seen.get(a) === b ? undefined : `${at} (circle)`
  seen.set(a, b)
  const found = compare(a, b, at, seen)
  if (found === undefined && !isLeaf(a)) return undefined
  seen.delete(a)
  return found
}

const isLeaf = (value: object): boolean =>
  value instanceof Date || value instanceof RegExp || value instanceof URL

function compare(a: object, b: object, at: string, seen: Map<object, object>): string | undefined {
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${at} (prototype)`
  if (a instanceof Date) return Object.is(a.getTime(), (b as Date).getTime()) ? undefined : at
  if (a instanceof RegExp) {
    return String(a) === String(b as RegExp) && a.lastIndex === (b as RegExp).lastIndex ? undefined : at
  }
  if (a instanceof URL) return a.href === (b as URL).href ? undefined : at
  if (a instanceof ArrayBuffer) return bytes(new Uint8Array(a), new Uint8Array(b as ArrayBuffer), at)
  if (ArrayBuffer.isView(a)) return bytes(view(a), view(b as ArrayBufferView), at)
  if (a instanceof Map) return difference([...a], [...(b as typeof a)], `${at}<Map>`, seen)
  if (a instanceof Set) return difference([...a], [...(b as typeof a)], `${at}<Set>`, seen)
  if (Array.isArray(a) && a.length !== (b as unknown[]).length) return `${at}.length`
  const keys = a instanceof Error ? ['name', 'message', 'stack', 'cause', 'errors'] : []
  const [ofA, ofB] = [Object.keys(a), Object.keys(b)]
  if (ofA.length !== ofB.length || ofA.some((key, i) => key !== ofB[i]))
    return `${at} (keys ${ofA.join()} / ${ofB.join()})`
  for (const key of [...keys.filter((name) => name in a || name in b), ...ofA]) {
    const [x, y] = [(a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]]
    const found = difference(x, y, `${at}.${key}`, seen)
    if (found !== undefined) return found
  }
  return undefined
}

const view = (of: ArrayBufferView): Uint8Array => new Uint8Array(of.buffer, of.byteOffset, of.byteLength)

function bytes(a: Uint8Array, b: Uint8Array, at: string): string | undefined {
  return a.length === b.length && a.every((byte, i) => byte === b[i]) ? undefined : `${at} (bytes)`
}
