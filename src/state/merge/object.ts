import { areAwkward, plainBox } from '../boxes/awkward.ts'
import { TooDeep } from '../boxes/refusal.ts'
import { BOX } from '../boxes/shell.ts'
import { encode } from '../capture/encode.ts'
import type { Walk } from '../capture/walk.ts'
import { MAX_DEPTH, setOwn } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'
import { collapse } from './collapse.ts'
import type { Merge } from './merge.ts'

type Node = Readonly<Record<string, unknown>>

export function mergeObject(walk: Walk, live: unknown, node: Node, prev: JsonObject, merge: Merge): Json {
  const { depth, trust } = walk
  if (depth >= MAX_DEPTH) throw new TooDeep()
  const keys = Object.keys(node)
  // Nothing that stands as it is in `prev` has awkward keys, so equal keys need no look; but a box has this.
  const isCallers = node === live && trust !== undefined
  if (isCallers && keys[0] === BOX) return merge(walk, plainBox(node), prev)
  walk.trail[depth] = node
  walk.depth = depth + 1
  const start = walk.ops.length
  const old = Object.keys(prev)
  let frozen = node === live && trust !== undefined && Object.isFrozen(live)
  let next: Record<string, Json> | undefined
  let i = 0
  for (; i < keys.length && keys[i] === old[i]; i++) {
    const key = keys[i]!
    walk.steps[depth] = key
    const value = node[key]
    const before = prev[key]!
    if (value === before && typeof value !== 'object' && value !== 0) continue
    const after = merge(walk, value, before)
    frozen &&= walk.frozen
    if (after !== before) setOwn((next ??= { ...prev }), key, after)
  }
  if (i < keys.length || i < old.length) {
    if (isCallers && areAwkward(keys)) {
      walk.ops.length = start
      walk.depth = depth
      return merge(walk, plainBox(node), prev)
    }
    next = regrow(walk, node, prev, next ?? prev, keys, i, merge)
    frozen = false
  }
  walk.depth = depth
  const encoded = next ?? prev
  if (next !== undefined) collapse(walk, start, keys.length, encoded)
  walk.frozen = frozen && trust!.vouch(live as object, encoded)
  return encoded
}

/** The rest of an object whose keys are not those of before, or not in that order. */
function regrow(
  walk: Walk,
  node: Node,
  prev: JsonObject,
  begun: JsonObject,
  keys: readonly string[],
  from: number,
  merge: Merge,
): Record<string, Json> {
  const at = walk.depth - 1
  const next: Record<string, Json> = {}
  const added: string[] = []
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    walk.steps[at] = key
    if (i < from) setOwn(next, key, begun[key]!)
    else if (Object.hasOwn(prev, key)) setOwn(next, key, merge(walk, node[key], prev[key]!))
    else {
      const encoded = encode(walk, node[key])
      walk.ops.push(['=', walk.path(), encoded])
      setOwn(next, key, encoded)
      added.push(key)
    }
  }
  walk.depth = at
  const gone = Object.keys(prev).filter((key) => !Object.hasOwn(next, key))
  if (gone.length > 0) walk.ops.push(['-', walk.path(), gone])
  if (!isOrderAfter(prev, next, added, keys)) walk.ops.push(['{', walk.path(), keys])
  walk.depth = at + 1
  return next
}

/** Whether deleting and appending alone give this order. The engine says, as it puts integers first. */
function isOrderAfter(
  prev: JsonObject,
  next: JsonObject,
  added: readonly string[],
  keys: readonly string[],
): boolean {
  const trial = Object.create(null) as Record<string, true>
  for (const key of Object.keys(prev)) if (Object.hasOwn(next, key)) trial[key] = true
  for (const key of added) trial[key] = true
  return Object.keys(trial).every((key, i) => key === keys[i])
}
