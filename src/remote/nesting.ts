const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Whether a JSON text nests no deeper than this, found by its brackets and quotes alone. */
export function isNestedWithin(most: number, json: Uint8Array): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (inText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (OPENING.has(byte)) {
      if (++depth > most) return false
    } else if (CLOSING.has(byte)) depth--
  }
  return true
}
