/** A multiple of 3, so that padding only ever stands at the end, and few enough for `apply`. */
const CHUNK = 3 * 4096

interface Native {
  toBase64?(): string
}

const chunkText = (bytes: Uint8Array, at: number): string =>
  btoa(String.fromCharCode.apply(null, bytes.subarray(at, at + CHUNK) as unknown as number[]))

export function toBase64(bytes: Uint8Array): string {
  const native = bytes as Native
  if (typeof native.toBase64 === 'function') return native.toBase64()
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) text += chunkText(bytes, at)
  return text
}

/** Whether `text` is the base64 of these bytes, without making all of it again. */
export function isBase64Of(text: string, bytes: Uint8Array): boolean {
  if (text.length !== Math.ceil(bytes.length / 3) * 4) return false
  for (let at = 0; at < bytes.length; at += CHUNK) {
    if (!text.startsWith(chunkText(bytes, at), (at / 3) * 4)) return false
  }
  return true
}

/** Undefined when it is not exactly base64: `atob` alone forgives spaces and missing padding. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  const step = (CHUNK / 3) * 4
  let to = 0
  for (let at = 0; at < text.length; at += step) {
    let chunk
    try {
      chunk = atob(text.slice(at, at + step))
    } catch {
      return undefined
    }
    const wanted = Math.min(CHUNK, bytes.length - to)
    if (chunk.length !== wanted) return undefined
    for (let i = 0; i < wanted; i++) bytes[to++] = chunk.charCodeAt(i)
  }
  return bytes
}
