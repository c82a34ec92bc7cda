/**
 * Whether metadata has these values at these names. Names are only ever compared, with the metadata's own: nothing is
 * made of them that a store would run.
 */
export const fits = (metadata: object, filter: object): boolean =>
  Object.entries(filter).every(
    ([name, wanted]) =>
      Object.hasOwn(metadata, name) && isSame((metadata as Record<string, unknown>)[name], wanted),
  )

export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  return Object.keys(a).length === Object.keys(b).length && fits(a, b)
}
