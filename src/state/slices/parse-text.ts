import type { Pause } from './pause.ts'
import { BACKSLASH, noJson, parsePiece, QUOTE, SLICE } from './piece.ts'

const LETTER_U = 0x75
/** An escape has so many bytes at most: \u0000. */
const ESCAPE = 6
/** Characters. */
const COPIED_A_MS = 2 * 1024 * 1024

/** The JSON of one text, in pieces which are texts themselves. */
export async function parseText(bytes: Uint8Array, pause: Pause): Promise<string> {
  const last = bytes.length - 1
  if (bytes[last] !== QUOTE) throw noJson()
  const texts: string[] = []
  for (let at = 1; at < last;) {
    const due = pause()
    if (due) await due
    const end = Math.min(last, endOfPiece(bytes, at, at + SLICE))
    const text = parsePiece('"', bytes.subarray(at, end), '"')
    if (typeof text !== 'string') throw noJson()
    texts.push(text)
    at = end
  }
  // All of it is copied once more, which cannot be done in pieces.
  const due = pause((texts.length * SLICE) / COPIED_A_MS)
  if (due) await due
  return texts.join('')
}

/** The first place from `wanted` on that is neither within a character nor within an escape; none is at `start`. */
function endOfPiece(bytes: Uint8Array, start: number, wanted: number): number {
  let end = wanted
  const backslash = bytes.subarray(wanted - ESCAPE + 1, wanted).lastIndexOf(BACKSLASH)
  if (backslash >= 0) {
    const at = wanted - ESCAPE + 1 + backslash
    let before = 0
    while (at - before > start && bytes[at - 1 - before] === BACKSLASH) before++
    const length = before % 2 === 1 ? 1 : bytes[at + 1] === LETTER_U ? ESCAPE : 2
    end = Math.max(wanted, at + length)
  }
  // What goes on with a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end++
  return end
}
