import type { Json } from '../json.ts'

/** Steps into the *encoded* state, boxes included: `['when', '$fp', 1]`. */
export type Step = string | number
export type Path = readonly Step[]

/**
 * | op | means |
 * | --- | --- |
 * | `['=', path, value]` | set; the empty path is the whole state, a new key comes last in its object |
 * | `['-', path, keys]` | delete these keys of the object at path |
 * | `['[', path, at, remove, items]` | splice the array at path |
 * | `['"', path, at, remove, text]` | splice the string at path, in UTF-16 units |
 * | `['{', path, keys]` | put the keys of the object at path into this order |
 */
export type Op =
  | readonly ['=', Path, Json]
  | readonly ['-', Path, readonly string[]]
  | readonly ['[', Path, number, number, readonly Json[]]
  | readonly ['"', Path, number, number, string]
  | readonly ['{', Path, readonly string[]]

/** Ops apply one after the other, so the deltas a→b and b→c in a row are a delta a→c. */
export type Delta = readonly Op[]
