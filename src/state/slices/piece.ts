import { CheckpointerError } from '../../errors.ts'
import { fromBytes } from '../json-bytes.ts'
import type { Json } from '../json.ts'

/** What is parsed at once. */
export const SLICE = 128 * 1024

export const QUOTE = 0x22
export const BACKSLASH = 0x5c

/** A piece of a list, an object or a text, parsed as if it were all of it. */
export function parsePiece(open: string, piece: Uint8Array, close: string): Json {
  const all = new Uint8Array(piece.length + 2)
  all[0] = open.charCodeAt(0)
  all.set(piece, 1)
  all[piece.length + 1] = close.charCodeAt(0)
  return fromBytes(all)
}

export const noJson = (): CheckpointerError =>
  new CheckpointerError('CORRUPT', 'A stored payload is no JSON.')
