import type { Json } from '../json.ts'

/** Parsing digits takes more than linear time. */
export const MAX_DIGITS = 100_000

const text = (pattern: RegExp) => (json: Json) => typeof json === 'string' && pattern.test(json)

/** Every type of superjson's that is ever rebuilt, and what its data must look like first. */
const LEAVES: ReadonlyMap<string, (json: Json) => boolean> = new Map([
  ['undefined', (json: Json) => json === null],
  ['number', text(/^(?:NaN|-?Infinity|-0)$/)],
  ['bigint', (json: Json) => typeof json === 'string' && json.length <= MAX_DIGITS && /^-?\d+$/.test(json)],
  ['Date', text(/^(?:[+-]\d{6}|\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)],
  ['regexp', (json: Json) => typeof json === 'string' && json.startsWith('/') && json.lastIndexOf('/') > 0],
  ['URL', (json: Json) => typeof json === 'string'],
])

export const isLeafKind = (kind: string): boolean => kind === 'invalid-date' || LEAVES.has(kind)

interface Leaf {
  readonly type: string
  readonly json: string | null
  /** Of a RegExp. */
  readonly lastIndex: number
}

/** What the box of a leaf says. Throws anything when that is not the data of its type. */
export function leafOf(payload: readonly Json[]): Leaf {
  const [type, json, lastIndex = 0] = payload
  if (type === 'invalid-date' && payload.length === 1) return { type, json: null, lastIndex: 0 }
  const fits = typeof type === 'string' ? LEAVES.get(type) : undefined
  const length = type === 'regexp' && payload[2] !== undefined ? 3 : 2
  if (typeof type !== 'string' || json === undefined || payload.length !== length || !fits?.(json))
    throw new Error('not the data of its type')
  if (typeof lastIndex !== 'number' || !Number.isSafeInteger(lastIndex) || lastIndex < 0)
    throw new Error('not an index')
  return { type, json: json as string | null, lastIndex }
}

/**
 * Throws anything when `decodeLeaf` would, and rebuilds nothing but what the engine has to judge: the store's side
 * checks values that it never hands to anybody, and so needs no superjson.
 */
export function checkLeaf(payload: readonly Json[]): void {
  const { type, json } = leafOf(payload)
  const data = json ?? ''
  if (type === 'Date' && Number.isNaN(Date.parse(data))) throw new Error('not a date')
  if (type === 'URL') void new URL(data)
  const end = data.lastIndexOf('/')
  if (type === 'regexp') void new RegExp(data.slice(1, end), data.slice(end + 1))
}
