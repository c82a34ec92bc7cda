export const isPlain = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** What a property is that is `undefined` or absent is one to JSON, and so here. */
export const namesIn = (value: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(value).filter((key) => value[key] !== undefined)

/** Whether two values of JSON, bytes or dates say the same, in whatever order their properties stand. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((each, index) => same(each, b[index]))
    )
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, index) => byte === b[index])
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime()
  if (!isPlain(a) || !isPlain(b)) return false
  const names = namesIn(a)
  return names.length === namesIn(b).length && names.every((name) => same(a[name], b[name]))
}
