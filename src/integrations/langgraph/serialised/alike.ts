export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** A list or a record of no class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

/** Whether two have the same items, or the same names in the same order, and all in them is the same by `is`. */
export function isAlike(a: Fields, b: unknown, is: (a: unknown, b: unknown) => boolean): boolean {
  if (!isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false
    // Not `every`, which leaves out what was never set.
    for (let i = 0; i < a.length; i++) if (!is(a[i], b[i])) return false
    return true
  }
  const names = Object.keys(a)
  const others = Object.keys(b)
  return (
    names.length === others.length && names.every((name, i) => name === others[i] && is(a[name], b[name]))
  )
}
