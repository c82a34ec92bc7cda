import type { Walk } from '../capture/walk.ts'
import type { Json } from '../json.ts'

/** Compared natively in pieces of this size, then unit by unit within one piece. */
const PIECE = 1024

/** A changed string: a splice where that is shorter than the string, so that a growing one costs its end. */
export function mergeText(walk: Walk, live: string, prev: Json): string {
  if (typeof prev === 'string') {
    const head = commonPrefix(live, prev)
    const tail = commonSuffix(live, prev, Math.min(live.length, prev.length) - head)
    const remove = prev.length - head - tail
    if (head + tail > String(head).length + String(remove).length + 3) {
      walk.ops.push(['"', walk.path(), head, remove, live.slice(head, live.length - tail)])
      return live
    }
  }
  walk.ops.push(['=', walk.path(), live])
  return live
}

function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length)
  let at = 0
  while (at + PIECE <= limit && a.slice(at, at + PIECE) === b.slice(at, at + PIECE)) at += PIECE
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++
  // Half of a pair would stand as an escape of six characters.
  return at > 0 && isHigh(a.charCodeAt(at - 1)) ? at - 1 : at
}

function commonSuffix(a: string, b: string, limit: number): number {
  const [endA, endB] = [a.length, b.length]
  let n = 0
  while (n + PIECE <= limit && a.slice(endA - n - PIECE, endA - n) === b.slice(endB - n - PIECE, endB - n))
    n += PIECE
  while (n < limit && a.charCodeAt(endA - n - 1) === b.charCodeAt(endB - n - 1)) n++
  return n > 0 && isLow(a.charCodeAt(endA - n)) ? n - 1 : n
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
