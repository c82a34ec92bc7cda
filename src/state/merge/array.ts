import { TooDeep } from '../boxes/refusal.ts'
import { encode } from '../capture/encode.ts'
import type { Walk } from '../capture/walk.ts'
import { MAX_DEPTH } from '../json.ts'
import type { Json } from '../json.ts'
import { shift, trim } from './align.ts'
import type { Span } from './align.ts'
import { ArrayDraft } from './array-draft.ts'
import { collapse } from './collapse.ts'
import type { Merge } from './merge.ts'

/** A changed array this long is not asked again whether it is frozen; once it stays the same, it is. */
const SHORT = 64

/**
 * Goes through both arrays side by side. At the first difference the common end is taken off, and at each
 * difference it is asked whether elements went or came here; if not, the element itself is merged.
 */
export function mergeArray(
  walk: Walk,
  live: unknown,
  node: readonly unknown[],
  prev: readonly Json[],
  merge: Merge,
): Json {
  const { depth } = walk
  if (depth >= MAX_DEPTH) throw new TooDeep()
  walk.trail[depth] = node
  walk.depth = depth + 1
  const start = walk.ops.length
  const trust = node === live ? walk.trust : undefined
  const known = trust?.elements(prev)
  let frozen = trust !== undefined && Object.isFrozen(live)
  const shorter = Math.min(node.length, prev.length)
  let alike = 0
  while (alike < shorter && isKnown(node[alike], prev[alike]!, known?.[alike])) alike++
  if (alike === node.length && alike === prev.length) {
    walk.depth = depth
    walk.frozen = frozen && trust!.vouch(node, prev)
    return prev
  }
  const draft = new ArrayDraft(prev, known, trust)
  const lengths = { end: node.length, until: prev.length }
  const span: Span = {
    node,
    prev,
    known,
    at: alike,
    from: alike,
    ...lengths,
    tries: 64 + 2 * (node.length + prev.length),
  }
  let trimmed = false

  while (span.at < span.end && span.from < span.until) {
    const { at, from } = span
    const before = prev[from]!
    walk.steps[depth] = at
    const value = node[at]
    const mark = walk.ops.length
    if (isKnown(value, before, known?.[from])) {
      draft.keep(from)
    } else {
      const after = merge(walk, value, before)
      if (walk.ops.length > mark) {
        if (!trimmed) trim(walk, span)
        trimmed = true
        const over = at >= span.end || from >= span.until
        const by = over ? 0 : shift(walk, span)
        // Then the operations of that merge were a guess, and are taken back.
        if (over || by !== 0) walk.ops.length = mark
        if (over) break
        if (by !== 0) {
          splice(walk, draft, span, by < 0 ? -by : 0, by > 0 ? by : 0)
          continue
        }
      }
      frozen &&= walk.frozen
      draft.put(from, after, walk.frozen ? value : undefined)
    }
    span.at++
    span.from++
  }

  splice(walk, draft, span, span.until - span.from, span.end - span.at)
  draft.keepRest(span.until, node)
  walk.depth = depth
  const encoded = draft.finish()
  if (encoded !== prev) {
    collapse(walk, start, node.length, encoded)
    if (node.length > SHORT) frozen = false
  }
  walk.frozen = frozen && draft.allTrusted && trust!.vouch(node, encoded)
  return encoded
}

const isKnown = (value: unknown, before: Json, source: object | undefined): boolean =>
  typeof value === 'object' && value !== null ? value === source : value === before && value !== 0

/** Takes elements out at the place reached, and puts new ones in. */
function splice(walk: Walk, draft: ArrayDraft, span: Span, remove: number, insert: number): void {
  if (remove === 0 && insert === 0) return
  const last = walk.depth - 1
  const { at } = span
  const items: Json[] = []
  draft.diverge(span.from)
  for (let i = 0; i < insert; i++) {
    walk.steps[last] = at + i
    const value = span.node[at + i]
    const item = encode(walk, value)
    items.push(item)
    draft.add(item, walk.frozen ? value : undefined, walk.frozen)
  }
  walk.ops.push(['[', walk.steps.slice(0, last), at, remove, items])
  span.at += insert
  span.from += remove
}
