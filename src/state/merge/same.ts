import { plainBox } from '../boxes/awkward.ts'
import { BOX, Shell } from '../boxes/shell.ts'
import type { Walk } from '../capture/walk.ts'
import { isJsonObject } from '../json.ts'
import type { Json } from '../json.ts'

/** Comparisons that may come to nothing in one walk: it bounds what hostile input can cost. */
const MAX_WASTED = 200_000

/**
 * Whether a value says what `prev` says, building nothing: for looking ahead in arrays. It may say no of
 * equal values when too much was compared for nothing, or when a value is to be refused; the walk proper
 * will meet that value and name its place.
 */
export function same(walk: Walk, live: unknown, prev: Json): boolean {
  if (walk.wasted > MAX_WASTED) return false
  const before = walk.compared
  try {
    if (equal(walk, live, prev)) return true
  } catch {
    // Met again, with its path, by the walk proper.
  }
  walk.wasted += walk.compared - before
  return false
}

function equal(walk: Walk, live: unknown, prev: Json): boolean {
  walk.compared++
  if (typeof live === 'string') return live === prev
  if (live === prev && (typeof live !== 'object' || live === null)) return live !== 0 || Object.is(live, prev)
  if (typeof live === 'object' && live !== null) {
    if (walk.trust === undefined ? live === prev : walk.trust.knows(live, prev)) return true
    if (typeof prev !== 'object' || prev === null) return false
  }
  const seen = walk.view(live, prev)
  const node = seen instanceof Shell ? seen.node : seen
  if (node === seen && seen !== live) return seen === prev
  if (typeof node !== 'object' || node === null) return node === prev
  if (Array.isArray(node)) return Array.isArray(prev) && equalArrays(walk, node, prev)
  if (!isJsonObject(prev)) return false
  if (node === live && walk.trust !== undefined && Object.hasOwn(prev, BOX)) {
    const box = plainBox(node)
    return box !== undefined && equal(walk, box, prev)
  }
  return equalObjects(walk, node as Record<string, unknown>, prev)
}

function equalArrays(walk: Walk, node: readonly unknown[], prev: readonly Json[]): boolean {
  if (node.length !== prev.length) return false
  for (let i = 0; i < node.length; i++) if (!equal(walk, node[i], prev[i]!)) return false
  return true
}

function equalObjects(walk: Walk, node: Readonly<Record<string, unknown>>, prev: Json): boolean {
  const keys = Object.keys(node)
  const old = Object.keys(prev as object)
  if (keys.length !== old.length) return false
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    if (key !== old[i] || !equal(walk, node[key], (prev as Record<string, Json>)[key]!)) return false
  }
  return true
}
