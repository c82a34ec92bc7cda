/**
 * Bodies as text, since a way there may know nothing else: what is UTF-8, as most of them are, stands as it is, and all
 * else as base64. The first letter says which, and keeps a client from taking it for JSON.
 */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const PIECE = 0x8000

export function textOf(body: Uint8Array): string {
  try {
    return `t${decoder.decode(body)}`
  } catch {
    let binary = ''
    for (let at = 0; at < body.length; at += PIECE)
      binary += String.fromCharCode(...body.subarray(at, at + PIECE))
    return `b${btoa(binary)}`
  }
}

export function bodyOf(text: string): Uint8Array {
  if (text.startsWith('t')) return encoder.encode(text.slice(1))
  return Uint8Array.from(atob(text.slice(1)), (char) => char.charCodeAt(0))
}
