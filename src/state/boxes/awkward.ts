import { isJsonObject } from '../json.ts'
import type { Json } from '../json.ts'
import { BOX, Shell, boxShell, entriesShell } from './shell.ts'

/** Holds all that `JSON.stringify` writes with a backslash. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u

/**
 * Whether an object with these keys must be stored as a list of entries: because it would look like a box,
 * or because of a fault in V8 13.6 (Node 24): once any object has had a key that begins with a backslash,
 * `JSON.parse` may give that key to another object in place of one that is escaped. `{"a":0,"\n":1}` comes
 * back as `{"a":0,"\\":1}`. Chromium 156 and Node 20 do not have it.
 * Values are not touched by it, so such keys are kept as values.
 */
export const areAwkward = (keys: readonly string[]): boolean =>
  keys.some((key) => key === BOX || ESCAPED.test(key))

/** The box of a plain object with such keys; undefined for any other, which stands as it is. */
export const plainBox = (live: object): Shell | undefined =>
  areAwkward(Object.keys(live)) ? boxShell('object', entriesShell(Object.entries(live))) : undefined

/** Properties at a place of their own inside a box: an object, or a list of entries. */
export const propsShell = (entries: readonly (readonly [string, unknown])[]): Shell =>
  areAwkward(entries.map(([key]) => key)) ? entriesShell(entries) : new Shell(Object.fromEntries(entries))

/** Both forms back: each key with its value and the steps to it. */
export function* propsOf(json: Json | undefined): Generator<readonly [string, Json, ...(string | number)[]]> {
  if (Array.isArray(json)) {
    for (const [key, value, i] of entriesOf(json)) {
      if (typeof key !== 'string') throw new Error('not a key')
      yield [key, value, i, 1]
    }
    return
  }
  if (json === undefined || !isJsonObject(json)) throw new Error('not properties')
  for (const key of Object.keys(json)) yield [key, json[key]!, key]
}

export function* entriesOf(list: Json | undefined): Generator<readonly [Json, Json, number]> {
  if (!Array.isArray(list)) throw new Error('not a list of entries')
  for (const [i, entry] of (list as readonly Json[]).entries()) {
    const [key, value] = Array.isArray(entry) && entry.length === 2 ? (entry as readonly Json[]) : []
    if (key === undefined || value === undefined) throw new Error('not an entry')
    yield [key, value, i]
  }
}
