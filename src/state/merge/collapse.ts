import type { Walk } from '../capture/walk.ts'
import type { Op } from '../delta/op.ts'
import type { Json } from '../json.ts'

/** A splice of text that keeps no more than this saves no more than its own path costs. */
const LITTLE = 32

/**
 * One operation that sets a container, in place of operations that set every child it has: those since
 * `start`. An operation further down, or on a part of a string, is one that saves something: then all stay.
 */
export function collapse(walk: Walk, start: number, size: number, encoded: Json): void {
  const { ops, depth } = walk
  let covered = 0
  for (let i = start; i < ops.length; i++) {
    const op = ops[i]!
    const below = op[1].length - depth
    if (op[0] === '=' && below === 1) covered++
    else if (op[0] === '"' && below === 1 && kept(encoded, op) < LITTLE) covered++
    else if (op[0] === '[' && below === 0) covered += op[4].length
    else if (below !== 0) return
  }
  if (covered < size || covered < 2) return
  ops.length = start
  ops.push(['=', walk.path(), encoded])
}

function kept(encoded: Json, op: Op & readonly ['"', ...unknown[]]): number {
  const text = (encoded as Readonly<Record<string | number, Json>>)[op[1][op[1].length - 1]!]
  return typeof text === 'string' ? text.length - op[4].length : Infinity
}
