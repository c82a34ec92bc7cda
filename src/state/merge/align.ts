import type { Walk } from '../capture/walk.ts'
import type { Json } from '../json.ts'
import { same } from './same.ts'

/** The part of an array, before and now, that is still to be compared. */
export interface Span {
  readonly node: readonly unknown[]
  readonly prev: readonly Json[]
  readonly known: readonly (object | undefined)[] | undefined
  /** Where the rest begins, now and before; and where it ends: from there on all is the same. */
  at: number
  from: number
  end: number
  until: number
  /** Comparisons left for finding shifts: a multiple of the length, so that the search stays linear. */
  tries: number
}

const alike = (walk: Walk, span: Span, i: number, j: number): boolean => {
  const value = span.node[i]
  return (
    (value !== null && typeof value === 'object' && span.known?.[j] === value) ||
    same(walk, value, span.prev[j]!)
  )
}

/** Takes the common end off. */
export function trim(walk: Walk, span: Span): void {
  while (span.end > span.at && span.until > span.from && alike(walk, span, span.end - 1, span.until - 1)) {
    span.end--
    span.until--
  }
}

/**
 * At the first difference: how many elements were taken out here (negative) or put in (positive), so that
 * what follows is the same again; 0 for an element that was changed in its place.
 */
export function shift(walk: Walk, span: Span): number {
  const { at, from, end, until } = span
  const now = end - at
  const before = until - from
  if (now === 1 && before === 1) return 0
  if (now > 1 && before > 1 && alike(walk, span, at + 1, from + 1)) return 0
  for (let by = 1; by < Math.max(now, before) && span.tries > 0; by++) {
    span.tries -= 2
    if (by < before && confirmed(walk, span, at, from + by)) return -by
    if (by < now && confirmed(walk, span, at + by, from)) return by
  }
  return 0
}

/** One pair alike may be chance, as in a list of small numbers: its neighbours must be alike too. */
const confirmed = (walk: Walk, span: Span, i: number, j: number): boolean =>
  alike(walk, span, i, j) && (i + 1 >= span.end || j + 1 >= span.until || alike(walk, span, i + 1, j + 1))
