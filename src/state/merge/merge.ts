import { Shell } from '../boxes/shell.ts'
import { encodeNode, notTooDeep } from '../capture/encode.ts'
import type { Walk } from '../capture/walk.ts'
import { isJsonObject } from '../json.ts'
import type { Json } from '../json.ts'
import { mergeArray } from './array.ts'
import { mergeObject } from './object.ts'
import { mergeText } from './text.ts'
import { isUnchanged } from './unchanged.ts'

/**
 * The encoded form of a value, given that of the value that stood here before. What has not changed is
 * `prev` itself, down to every subtree; what has is told to `walk.ops`. No operation was added if and only
 * if the answer is `prev`.
 */
export function merge(walk: Walk, live: unknown, prev: Json): Json {
  if (typeof live === 'string') {
    walk.frozen = true
    const seen = walk.view(live, prev) as string
    return seen === prev ? prev : mergeText(walk, seen, prev)
  }
  if (typeof live === 'object' && live !== null) {
    if (walk.trust !== undefined && isUnchanged(live, prev)) {
      walk.frozen = false
      return prev
    }
    if (walk.trust === undefined ? live === prev : walk.trust.knows(live, prev)) {
      walk.frozen = true
      return prev
    }
  }
  const seen = walk.view(live, prev)
  const shell = seen instanceof Shell
  if (!shell && (seen !== live || typeof live !== 'object' || live === null)) {
    walk.frozen = typeof live !== 'object' || live === null
    return seen === prev ? prev : replace(walk, seen as Json)
  }
  const node = shell ? seen.node : (live as object)
  if (Array.isArray(node)) {
    if (Array.isArray(prev)) return mergeArray(walk, live, node, prev as readonly Json[], merge)
  } else if (isJsonObject(prev)) {
    return mergeObject(walk, live, node as Readonly<Record<string, unknown>>, prev, merge)
  }
  return replace(walk, encodeNode(walk, live, node))
}

/** How a merge of containers goes on with a child. */
export type Merge = typeof merge

function replace(walk: Walk, encoded: Json): Json {
  walk.ops.push(['=', walk.path(), notTooDeep(walk, encoded)])
  return encoded
}
