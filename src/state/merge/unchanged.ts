import { BOX } from '../boxes/shell.ts'
import { isJsonObject } from '../json.ts'
import type { Json } from '../json.ts'

/**
 * Whether this is a plain object of nothing but primitives that says what it said before. Most of a state does each time,
 * so it is asked first, and is quick. A no may only mean that it takes a closer look: what is frozen, to be known again by
 * identity, and what is to be refused, with its path.
 */
export function isUnchanged(live: object, prev: Json): boolean {
  if (!isJsonObject(prev)) return false
  try {
    if (!Object.isExtensible(live) || Object.getPrototypeOf(live) !== Object.prototype) return false
    const keys = Object.keys(prev)
    let known = 0
    // Also what is inherited, which `prev` does not have.
    for (const key in live) {
      const value = (live as Readonly<Record<string, unknown>>)[key]
      if (key !== keys[known++] || key === BOX || value !== prev[key]) return false
      if (value === 0 ? Object.is(value, -0) : typeof value === 'object' && value !== null) return false
    }
    return known === keys.length && Object.getOwnPropertySymbols(live).length === 0
  } catch {
    return false
  }
}
