import { count } from '../text/units.ts'
import type { Part, Shape } from './shape.ts'

/** So many parts are shown at once. */
const PAGE = 100

/** A stretch of the parts of what has very many. */
export interface Stretch {
  readonly shape: Shape
  readonly from: number
  readonly to: number
}

export type Shown = Part | Stretch

export const isStretch = (item: Shown): item is Stretch => 'shape' in item

export const nameOf = ({ from, to }: Stretch): string => `${count(from)} … ${count(to - 1)}`

/** What stands below a value: its parts, or stretches of them, never more than a page. */
export function shownParts({ shape, from, to }: Stretch): Shown[] {
  const size = to - from
  if (size <= PAGE) return Array.from({ length: size }, (_, i) => shape.part(from + i))
  let step = PAGE
  while (step * PAGE < size) step *= PAGE
  const stretches: Stretch[] = []
  for (let at = from; at < to; at += step) stretches.push({ shape, from: at, to: Math.min(to, at + step) })
  return stretches
}
