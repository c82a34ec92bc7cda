import { same } from './same.ts'

/** One place at which two states differ. */
export type Change = {
  /** The way there, as it reads: `messages`, `[3]`, `text`. */
  readonly path: readonly string[]
} & (
  | { readonly kind: 'added'; readonly after: unknown }
  | { readonly kind: 'removed'; readonly before: unknown }
  | { readonly kind: 'changed'; readonly before: unknown; readonly after: unknown }
)

/** Where two values differ, as deep down as that can be told; found as it is asked for. */
export function changesBetween(before: unknown, after: unknown): Generator<Change> {
  return between(before, after, [], new Map())
}

/** Pairs that were gone into: values may hold themselves, or one another. */
type Met = Map<unknown, Set<unknown>>

function* between(before: unknown, after: unknown, path: readonly string[], met: Met): Generator<Change> {
  if (Object.is(before, after)) return
  const parts = comparable(before, after)
  if (!parts) {
    if (!same(before, after)) yield { path, kind: 'changed', before, after }
    return
  }
  const others = met.get(before) ?? new Set()
  if (others.has(after)) return
  met.set(before, others.add(after))
  for (const { name, was, is } of parts) {
    const way = [...path, name]
    if (!was) yield { path: way, kind: 'added', after: is?.value }
    else if (!is) yield { path: way, kind: 'removed', before: was.value }
    else yield* between(was.value, is.value, way, met)
  }
}

interface Pair {
  readonly name: string
  readonly was?: { readonly value: unknown } | undefined
  readonly is?: { readonly value: unknown } | undefined
}

/** The parts of two containers of one kind, side by side. */
function comparable(before: unknown, after: unknown): Iterable<Pair> | undefined {
  if (!isObject(before) || !isObject(after)) return undefined
  if (Object.getPrototypeOf(before) !== Object.getPrototypeOf(after)) return undefined
  if (Array.isArray(before) && Array.isArray(after)) return aligned(before, after)
  if (before instanceof Map && after instanceof Map) return byKey(before, after)
  if (isOpaque(before)) return undefined
  return byKey(new Map(Object.entries(before)), new Map(Object.entries(after)))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What is told as a whole. */
const isOpaque = (value: object): boolean =>
  value instanceof Date ||
  value instanceof RegExp ||
  value instanceof URL ||
  value instanceof Set ||
  value instanceof Error ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value)

function* byKey(
  before: ReadonlyMap<unknown, unknown>,
  after: ReadonlyMap<unknown, unknown>,
): Generator<Pair> {
  for (const [key, value] of before)
    yield { name: nameOf(key), was: { value }, is: after.has(key) ? { value: after.get(key) } : undefined }
  for (const [key, value] of after) if (!before.has(key)) yield { name: nameOf(key), is: { value } }
}

const nameOf = (key: unknown): string => (isObject(key) ? '(an object)' : String(key))

/** What both begin and end with stands still; what is between is compared place by place. */
function* aligned(before: readonly unknown[], after: readonly unknown[]): Generator<Pair> {
  const least = Math.min(before.length, after.length)
  let start = 0
  while (start < least && same(before[start], after[start])) start++
  let end = 0
  while (end < least - start && same(before.at(-1 - end), after.at(-1 - end))) end++
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const paired = old.length === now.length || end === 0 ? Math.min(old.length, now.length) : 0
  for (let i = 0; i < paired; i++)
    yield { name: `[${start + i}]`, was: { value: old[i] }, is: { value: now[i] } }
  for (let i = paired; i < old.length; i++) yield { name: `[${start + i}]`, was: { value: old[i] } }
  for (let i = paired; i < now.length; i++) yield { name: `[${start + i}]`, is: { value: now[i] } }
}
