import { areAwkward, plainBox } from '../boxes/awkward.ts'
import { TooDeep } from '../boxes/refusal.ts'
import { Shell } from '../boxes/shell.ts'
import { MAX_DEPTH, setOwn } from '../json.ts'
import type { Json } from '../json.ts'
import type { Walk } from './walk.ts'

/** The encoded form of a value that is new. It shares nothing with the value. */
export function encode(walk: Walk, live: unknown): Json {
  if (walk.trust === undefined) return live as Json
  const seen = walk.view(live, undefined)
  if (seen instanceof Shell) return encodeNode(walk, live, seen.node)
  if (seen === live && typeof live === 'object' && live !== null) return encodeNode(walk, live, live)
  walk.frozen = typeof live !== 'object' || live === null
  return notTooDeep(walk, seen as Json)
}

/** A value in a box takes a container, too. */
export function notTooDeep(walk: Walk, encoded: Json): Json {
  if (walk.depth >= MAX_DEPTH && typeof encoded === 'object' && encoded !== null) throw new TooDeep()
  return encoded
}

/** The same for a container that was looked at already: the value itself, or the inside of its shell. */
export function encodeNode(walk: Walk, live: unknown, node: object): Json {
  if (walk.trust === undefined) return live as Json
  const { depth } = walk
  if (depth >= MAX_DEPTH) throw new TooDeep()
  walk.trail[depth] = node
  walk.depth = depth + 1
  const encoded = Array.isArray(node) ? encodeArray(walk, live, node) : encodeObject(walk, live, node)
  walk.depth = depth
  return encoded
}

function encodeArray(walk: Walk, live: unknown, node: readonly unknown[]): Json {
  const at = walk.depth - 1
  const encoded: Json[] = []
  const refs: (object | undefined)[] = []
  let frozen = node === live && Object.isFrozen(node)
  for (let i = 0; i < node.length; i++) {
    walk.steps[at] = i
    const value = node[i]
    encoded.push(encode(walk, value))
    if (!walk.frozen) frozen = false
    else if (typeof value === 'object' && value !== null) refs[i] = value
  }
  if (node === live && refs.length > 0) walk.trust!.setElements(encoded, refs)
  walk.frozen = frozen && walk.trust!.vouch(node, encoded)
  return encoded
}

function encodeObject(walk: Walk, live: unknown, node: object): Json {
  const at = walk.depth - 1
  const keys = Object.keys(node)
  if (node === live && areAwkward(keys)) {
    walk.depth = at
    return encode(walk, plainBox(node))
  }
  const encoded: Record<string, Json> = {}
  let frozen = node === live && Object.isFrozen(node)
  for (const key of keys) {
    walk.steps[at] = key
    setOwn(encoded, key, encode(walk, (node as Record<string, unknown>)[key]))
    frozen &&= walk.frozen
  }
  walk.frozen = frozen && walk.trust!.vouch(node, encoded)
  return encoded
}
