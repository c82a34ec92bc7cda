/** The formats that were ever written. A change that older code would misread gets a new number. */
const FORMAT = {
  /** The first one: lanes, frames, boxes, parts, rows checked by murmur3. */
  first: 1,
} as const

/** What this code writes, and the newest that it knows. */
export const CURRENT_FORMAT: number = FORMAT.first

/** What a database may have beside its format. None so far. */
const FEATURES: ReadonlySet<string> = new Set()

/** What the row of a database says of who may do what with it. */
export interface Versions {
  /** Who writes must know this format. */
  readonly format: number
  /** Who reads must know this one; absent where it is the same. */
  readonly read?: number
  /** What it has beside, by name, with who must know that: `read`, whoever reads or writes; `write`, whoever writes; `none`. */
  readonly features?: Readonly<Record<string, string>>
}

/** What this code may do with such a database. */
export function accessTo({ format, read = format, features = {} }: Versions): 'write' | 'read' | 'none' {
  const needs = Object.entries(features).flatMap(([name, need]) => (FEATURES.has(name) ? [] : [need]))
  // A word that is not known may mean anything.
  if (read > CURRENT_FORMAT || needs.some((need) => need !== 'write' && need !== 'none')) return 'none'
  return format > CURRENT_FORMAT || needs.includes('write') ? 'read' : 'write'
}
