import { SuperJSON } from 'superjson'
import type { Json } from '../json.ts'
import { leafOf, MAX_DIGITS } from './leaf-shape.ts'
import { Refusal } from './refusal.ts'
import { BOX, boxPayload } from './shell.ts'

/** Our own: superjson's default instance belongs to everyone in the page. It only ever sees leaves. */
const superjson = new SuperJSON()

/** Superjson's `{ json, meta }` in the short form in which it is stored: `{ $fp: [type, json] }`. */
function box(value: unknown, ...more: Json[]): Json {
  const { json, meta } = superjson.serialize(value)
  const type: unknown = Array.isArray(meta?.values) ? meta.values[0] : undefined
  if (typeof type !== 'string') throw new Refusal('superjson does not know this value')
  return Object.freeze({ [BOX]: Object.freeze([type, json as Json, ...more]) })
}

const UNDEFINED = box(undefined)
const NUMBERS: ReadonlyMap<string, Json> = new Map(
  [NaN, Infinity, -Infinity, -0].map((number) => [
    Object.is(number, -0) ? '-0' : String(number),
    box(number),
  ]),
)
const INVALID_DATE: Json = Object.freeze({ [BOX]: Object.freeze(['invalid-date']) })

/** `prev` when it says the same, so that what has not changed stays the same object. */
function settle(fresh: Json, prev: Json | undefined): Json {
  const payload = boxPayload(prev)
  if (payload === undefined || prev === fresh) return fresh
  const wanted = boxPayload(fresh)!
  const equal = payload.length === wanted.length && wanted.every((part, i) => part === payload[i])
  return equal ? prev! : fresh
}

export function encodeUndefined(prev: Json | undefined): Json {
  return settle(UNDEFINED, prev)
}

export function encodeNumber(value: number, prev: Json | undefined): Json {
  if (Number.isFinite(value) && !Object.is(value, -0)) return value
  return settle(NUMBERS.get(Object.is(value, -0) ? '-0' : String(value))!, prev)
}

export function encodeBigint(value: bigint, prev: Json | undefined): Json {
  const text = value.toString()
  if (text.length > MAX_DIGITS) throw new Refusal(`a bigint of more than ${MAX_DIGITS} digits`)
  const payload = boxPayload(prev)
  return payload?.[0] === 'bigint' && payload[1] === text && payload.length === 2 ? prev! : box(value)
}

export function encodeDate(value: Date, prev: Json | undefined): Json {
  const time = Date.prototype.getTime.call(value)
  if (Number.isNaN(time)) return settle(INVALID_DATE, prev)
  const payload = boxPayload(prev)
  const before = payload?.[0] === 'Date' && payload.length === 2 ? payload[1] : undefined
  return typeof before === 'string' && Date.parse(before) === time ? prev! : box(new Date(time))
}

export function encodeRegExp(value: RegExp, prev: Json | undefined): Json {
  const { source, flags, lastIndex } = value
  const payload = boxPayload(prev)
  const text = `/${source}/${flags}`
  if (payload?.[0] === 'regexp' && payload[1] === text && (payload[2] ?? 0) === lastIndex) return prev!
  if (!Number.isSafeInteger(lastIndex) || lastIndex < 0) throw new Refusal('a RegExp with an odd lastIndex')
  return box(new RegExp(source, flags), ...(lastIndex === 0 ? [] : [lastIndex]))
}

export function encodeUrl(value: URL, prev: Json | undefined): Json {
  const payload = boxPayload(prev)
  if (payload?.[0] === 'URL' && payload[1] === value.href && payload.length === 2) return prev!
  return box(new URL(value.href))
}

/** The value in the box of a leaf. Throws anything when the row was altered. */
export function decodeLeaf(payload: readonly Json[]): unknown {
  const leaf = leafOf(payload)
  if (leaf.type === 'invalid-date') return new Date(NaN)
  const values = [leaf.type as 'Date'] satisfies [string]
  const value: unknown = superjson.deserialize({ json: leaf.json, meta: { values, v: 1 } })
  if (value instanceof Date && Number.isNaN(value.getTime())) throw new Error('not a date')
  if (value instanceof RegExp) value.lastIndex = leaf.lastIndex
  return value
}
