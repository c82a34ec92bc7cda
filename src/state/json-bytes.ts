import type { Json } from './json.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Escapes are worth it while they make a text no more than an eighth larger. */
const MOST_ESCAPED = 1 / 8
/** A character of two or three bytes becomes six. */
const BYTES_MORE = 5

/**
 * JSON as UTF-8. Where few characters are outside ASCII they are escaped: engines read a text that is all ASCII
 * four times as fast (0.65 against 2.6 ms for 1.35 MB in Chromium 156), and a single dash would make it not so.
 */
export function toBytes(value: Json): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(value)
  const bytes = encoder.encode(text)
  const beyond = bytes.length - text.length
  if (beyond === 0 || beyond * BYTES_MORE > text.length * MOST_ESCAPED) return bytes
  return encoder.encode(text.replace(/[\u0080-\uffff]/g, escaped))
}

/** JSON in ASCII alone. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped)

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Throws a TypeError or a SyntaxError for what is no JSON. */
export function fromBytes(bytes: Uint8Array): Json {
  return JSON.parse(decoder.decode(bytes)) as Json
}
